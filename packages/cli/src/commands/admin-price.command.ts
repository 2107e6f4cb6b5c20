import { formatEuros, type Cents } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { parsePrice, parseUnits } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { listing, type Answer } from "../output/reply.ts";
import { shownTime } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** Options of `admin price set`; amounts are net cents. */
interface SetOptions {
  readonly registration?: Cents;
  readonly renewal?: Cents;
  readonly transfer?: Cents;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly registrar?: string;
  readonly graceDays?: number;
  readonly redemptionDays?: number;
  readonly pendingDeleteDays?: number;
  readonly restorePrice?: Cents;
  /** An instant. */
  readonly from?: string;
}

/** `admin price …`: what extensions cost. */
export function addPriceCommands(group: Command, context: CommandContext): void {
  const price = group.command("price").description("price list of extensions");
  addSet(price, context);
  addList(price, context);
}

function addSet(price: Command, context: CommandContext): void {
  price
    .command("set")
    .description(
      "set net prices of an extension; with all three it is on sale, otherwise what is not named stays",
    )
    .argument("<tld>", "extension without a leading dot, for example com")
    .option("--registration <euros>", "net price of a year, for example 10.00", parsePrice)
    .option("--renewal <euros>", "net price of a further year", parsePrice)
    .option("--transfer <euros>", "net price of a transfer", parsePrice)
    .option("--inactive", "take it off sale")
    .option("--active", "put it on sale")
    .option(
      "--registrar <name>",
      "registrar that gets its orders; with all three prices by default the one configured for all",
    )
    .option(
      "--grace-days <n>",
      "days after expiry in which names are renewed at the normal price",
      parseUnits,
    )
    .option(
      "--redemption-days <n>",
      "days after that in which they can be had back from the registry",
      parseUnits,
    )
    .option("--pending-delete-days <n>", "days after that until they are deleted", parseUnits)
    .option(
      "--restore-price <euros>",
      "net price to have one back from the registry, with a year",
      parsePrice,
    )
    .option(
      "--from <time>",
      "when they come into force, for example 2027-01-01T00:00:00Z; at once without it",
    )
    .action(async (tld: string, options: SetOptions, command: Command) => {
      if (options.active === true && options.inactive === true)
        throw wrongUsage("An extension is on sale or is not: name --active or --inactive.");
      if (Object.values(options).every((value) => value === undefined || value === options.from))
        throw wrongUsage("Say what changes, for example --renewal 12.00; --help names everything.");
      await answerFromStaff(context, command, ({ domains }) =>
        areWhole(options) ? setPrices(domains, tld, options) : changePrices(domains, tld, options),
      );
    });
}

type WholePrices = SetOptions & Required<Pick<SetOptions, "registration" | "renewal" | "transfer">>;

/** All three prices say what an extension costs, whatever it cost before. */
function areWhole(options: SetOptions): options is WholePrices {
  return [options.registration, options.renewal, options.transfer].every((price) => price !== undefined);
}

type Domains = Pick<StaffClient["domains"], "setPrice" | "changePrice">;

function endTermsOf({ graceDays, redemptionDays, pendingDeleteDays, restorePrice }: SetOptions) {
  return defined({ graceDays, redemptionDays, pendingDeleteDays, restoreCents: restorePrice });
}

async function setPrices(domains: Domains, extension: string, options: WholePrices): Promise<Answer> {
  const { registrar, from: validFrom } = options;
  const prices = {
    registrationCents: options.registration,
    renewalCents: options.renewal,
    transferCents: options.transfer,
    active: options.inactive !== true,
    ...defined({ registrar }),
  };
  const end = endTermsOf(options);
  const set = await domains.setPrice({ tld: extension, ...prices, ...end, ...defined({ validFrom }) });
  const since = validFrom === undefined ? "are set" : `are in force from ${validFrom} on`;
  const { tld, withdrawnFrom, repeated } = set;
  return {
    document: {
      ...priceDocument({ tld, ...prices, ...end }),
      ...defined({ valid_from: validFrom, withdrawn_from: withdrawnFrom }),
      repeated,
    },
    text: repeated
      ? `Nothing was done: the prices of ${tld} were so before.\n`
      : `The prices of ${tld} ${since}${prices.active ? "" : "; it is not on sale"}.${withdrawal(withdrawnFrom)}\n`,
  };
}

async function changePrices(domains: Domains, tld: string, options: SetOptions): Promise<Answer> {
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
      ? `Nothing was done: the prices of ${tld} were so before.\n`
      : `${tld} ${since} ${figures}${now.active ? "" : "; it is not on sale"}.${withdrawal(withdrawnFrom)}\n`,
  };
}

function withdrawal(from: string | undefined): string {
  return from === undefined ? "" : ` What was announced for ${shownTime(from)} is not announced any more.`;
}

function addList(price: Command, context: CommandContext): void {
  price
    .command("list")
    .description("list all prices, inactive ones too")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const rows = (await domains.listAllPrices({})).prices.map(priceDocument);
        return listing(rows, [
          { heading: "tld", cell: (row) => row.tld },
          { heading: "registration", cell: (row) => row.registration_price, align: "right" },
          { heading: "renewal", cell: (row) => row.renewal_price, align: "right" },
          { heading: "transfer", cell: (row) => row.transfer_price, align: "right" },
          { heading: "active", cell: (row) => row.active },
          { heading: "registrar", cell: (row) => row.registrar ?? null },
          { heading: "grace", cell: (row) => row.grace_days ?? null, align: "right" },
          { heading: "redemption", cell: (row) => row.redemption_days ?? null, align: "right" },
          { heading: "restoration", cell: (row) => row.restore_price ?? null, align: "right" },
          { heading: "announced", cell: (row) => row.announced?.valid_from ?? null },
          { heading: "pending delete", cell: (row) => row.pending_delete_days ?? null, align: "right" },
        ]);
      });
    });
}

/** The keys of a price in `--json`, with net prices as decimal strings of euros. */
type PriceDocument = Readonly<
  Record<"tld" | "registration_price" | "renewal_price" | "transfer_price", string> & {
    active: boolean;
    /** Absent: the one that is configured for all. */
    registrar?: string;
    /** Days after expiry; of what was set only those that were named. */
    grace_days?: number;
    redemption_days?: number;
    pending_delete_days?: number;
    /** Absent: none is sold, or it was not named. */
    restore_price?: string;
    /** Prices that come into force. */
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
