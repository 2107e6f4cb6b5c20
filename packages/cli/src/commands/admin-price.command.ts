import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { parsePrice, parseUnits } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { viewOf } from "../output/message-document.ts";
import type { Answer } from "../output/reply.ts";
import { shownTime } from "../output/table.ts";
import { argument, option, type Given } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

/** Options of `admin price set`; amounts are net cents. */
const terms = {
  registration: option("--registration <euros>", "net price of a year, for example 10.00", parsePrice),
  renewal: option("--renewal <euros>", "net price of a renewal for one year", parsePrice),
  transfer: option("--transfer <euros>", "net price of a transfer", parsePrice),
  inactive: option<true>("--inactive", "stop selling the extension"),
  active: option<true>("--active", "sell the extension"),
  registrar: option(
    "--registrar <name>",
    "registrar for this extension's orders; by default the configured one if all three prices are given",
  ),
  graceDays: option(
    "--grace-days <n>",
    "days after expiry in which domains can be renewed at the normal price",
    parseUnits,
  ),
  redemptionDays: option(
    "--redemption-days <n>",
    "days after the grace period in which domains can be restored from the registry",
    parseUnits,
  ),
  pendingDeleteDays: option(
    "--pending-delete-days <n>",
    "days after the redemption period until the registry deletes domains",
    parseUnits,
  ),
  restorePrice: option(
    "--restore-price <euros>",
    "net price to restore a domain from the registry, with one year of renewal",
    parsePrice,
  ),
  from: option(
    "--from <time>",
    "when the prices come into force, for example 2027-01-01T00:00:00Z; default: at once",
  ),
};
type Terms = Given<typeof terms>;

const prices = viewOf(
  admin.PriceEntrySchema,
  {
    tld: "tld",
    registration: "registrationCents",
    renewal: "renewalCents",
    transfer: "transferCents",
    active: "active",
    registrar: "registrar",
    grace: "graceDays",
    redemption: "redemptionDays",
    restoration: "restoreCents",
    announced: ({ announced }) => announced?.validFrom,
    "pending delete": "pendingDeleteDays",
  },
  priceDocument,
);

export const addPriceCommands = noun("price", "price list of extensions", [
  custom(
    ["set", "set net prices of an extension; all three put it on sale, prices not named stay"],
    { tld: argument("<tld>", "extension without a leading dot, for example com", String), ...terms },
    ({ domains }, { tld, ...given }) =>
      areWhole(given) ? setPrices(domains, tld, given) : changePrices(domains, tld, given),
    ({ tld: _tld, from: _from, ...changes }) => {
      if (changes.active === true && changes.inactive === true)
        throw wrongUsage("An extension is on sale or is not: name --active or --inactive.");
      if (Object.keys(changes).length === 0)
        throw wrongUsage("Give at least one option, for example --renewal 12.00; --help lists them.");
    },
  ),
  call(["list", "list all prices, inactive ones too"], admin.DomainAdminService.method.listAllPrices, {
    answer: (list) => prices.list(list.prices),
  }),
]);

type WholePrices = Terms & Readonly<Record<"registration" | "renewal" | "transfer", bigint>>;

/** Returns true if all three prices are given, which set the whole price of an extension. */
function areWhole(given: Terms): given is WholePrices {
  return [given.registration, given.renewal, given.transfer].every((price) => price !== undefined);
}

type Domains = Pick<StaffClient["domains"], "setPrice" | "changePrice">;

function endTermsOf({ graceDays, redemptionDays, pendingDeleteDays, restorePrice }: Terms) {
  return defined({ graceDays, redemptionDays, pendingDeleteDays, restoreCents: restorePrice });
}

async function setPrices(domains: Domains, extension: string, options: WholePrices): Promise<Answer> {
  const { registrar, from: validFrom } = options;
  const figures = {
    registrationCents: options.registration,
    renewalCents: options.renewal,
    transferCents: options.transfer,
    active: options.inactive !== true,
    ...defined({ registrar }),
  };
  const end = endTermsOf(options);
  const set = await domains.setPrice({ tld: extension, ...figures, ...end, ...defined({ validFrom }) });
  const since = validFrom === undefined ? "are set" : `are in force from ${validFrom} on`;
  const { tld, withdrawnFrom, repeated } = set;
  return {
    document: {
      ...priceDocument({ tld, ...figures, ...end }),
      ...defined({ valid_from: validFrom, withdrawn_from: withdrawnFrom }),
      repeated,
    },
    text: repeated
      ? `Nothing was done: ${tld} had these prices before.\n`
      : `The prices of ${tld} ${since}${figures.active ? "" : "; it is not on sale"}.${withdrawal(withdrawnFrom)}\n`,
  };
}

async function changePrices(domains: Domains, tld: string, options: Terms): Promise<Answer> {
  const { registration, renewal, transfer, registrar, from: validFrom } = options;
  const active = options.inactive === true ? false : options.active;
  const changes = {
    ...defined({ registrationCents: registration, renewalCents: renewal, transferCents: transfer }),
    ...defined({ active, registrar }),
    ...endTermsOf(options),
  };
  const changed = await domains.changePrice({ tld, ...changes, ...defined({ validFrom }) });
  const { price, withdrawnFrom, repeated } = changed;
  if (price === undefined) throw new Error("the instance answered without prices");
  const document = priceDocument(price);
  const now = validFrom === undefined ? document : { ...document, ...document.announced };
  const since = validFrom === undefined ? "costs" : `costs from ${validFrom} on`;
  const figures = `${now.registration_price} EUR for a registration, ${now.renewal_price} for a renewal, ${now.transfer_price} for a transfer, all net`;
  return {
    document: { ...document, ...defined({ withdrawn_from: withdrawnFrom }), repeated },
    text: repeated
      ? `Nothing was done: ${tld} had these prices before.\n`
      : `${tld} ${since} ${figures}${now.active ? "" : "; it is not on sale"}.${withdrawal(withdrawnFrom)}\n`,
  };
}

function withdrawal(from: string | undefined): string {
  return from === undefined ? "" : ` What was announced for ${shownTime(from)} is not announced any more.`;
}

/** Keys of a price in `--json`; net prices are decimal strings of euros. */
type PriceDocument = Readonly<
  Record<"tld" | "registration_price" | "renewal_price" | "transfer_price", string> & {
    active: boolean;
    /** Absent if the default registrar is used. */
    registrar?: string;
    /** Days after expiry. The answer of `price set` contains only the given fields. */
    grace_days?: number;
    redemption_days?: number;
    pending_delete_days?: number;
    /** Absent if restoration is not offered or was not given. */
    restore_price?: string;
    /** Prices that take effect later. */
    announced?: Readonly<Record<string, string | boolean>>;
  }
>;

type PriceEntry = Omit<admin.PriceEntry, "$typeName" | "$unknown" | LifeCycleDays> &
  Partial<Pick<admin.PriceEntry, LifeCycleDays>>;
type LifeCycleDays = "graceDays" | "redemptionDays" | "pendingDeleteDays";

function priceDocument(price: PriceEntry): PriceDocument {
  return {
    tld: price.tld,
    registration_price: formatEuros(price.registrationCents),
    renewal_price: formatEuros(price.renewalCents),
    transfer_price: formatEuros(price.transferCents),
    active: price.active,
    ...defined({
      registrar: price.registrar,
      grace_days: price.graceDays,
      redemption_days: price.redemptionDays,
      pending_delete_days: price.pendingDeleteDays,
      restore_price: price.restoreCents === undefined ? undefined : formatEuros(price.restoreCents),
      announced: price.announced && announcedDocument(price.announced),
    }),
  };
}

function announcedDocument(announced: admin.AnnouncedPrice): NonNullable<PriceDocument["announced"]> {
  return {
    valid_from: announced.validFrom,
    registration_price: formatEuros(announced.registrationCents),
    renewal_price: formatEuros(announced.renewalCents),
    transfer_price: formatEuros(announced.transferCents),
    active: announced.active,
    ...defined({ registrar: announced.registrar }),
  };
}
