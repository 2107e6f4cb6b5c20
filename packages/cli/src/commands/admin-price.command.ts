import { formatEuros, type Cents } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { parsePrice, parseUnits } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** Options of `admin price set`; amounts are net cents. */
interface SetOptions {
  readonly registration: Cents;
  readonly renewal: Cents;
  readonly transfer: Cents;
  readonly inactive: boolean;
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
    .description("set the net prices of an extension")
    .argument("<tld>", "extension without a leading dot, for example com")
    .requiredOption("--registration <euros>", "net price of a year, for example 10.00", parsePrice)
    .requiredOption("--renewal <euros>", "net price of a further year", parsePrice)
    .requiredOption("--transfer <euros>", "net price of a transfer", parsePrice)
    .option("--inactive", "take it off sale", false)
    .option("--registrar <name>", "registrar that gets its orders, by default the one configured for all")
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
    .action(async (extension: string, options: SetOptions, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const prices = {
          registrationCents: options.registration,
          renewalCents: options.renewal,
          transferCents: options.transfer,
          active: !options.inactive,
          ...defined({ registrar: options.registrar }),
        };
        const { graceDays, redemptionDays, pendingDeleteDays, restorePrice: restoreCents } = options;
        const end = defined({ graceDays, redemptionDays, pendingDeleteDays, restoreCents });
        const { from: validFrom } = options;
        const { tld } = await domains.setPrice({
          tld: extension,
          ...prices,
          ...end,
          ...defined({ validFrom }),
        });
        const since = validFrom === undefined ? "are set" : `are in force from ${validFrom} on`;
        return {
          document: { ...priceDocument({ tld, ...prices, ...end }), ...defined({ valid_from: validFrom }) },
          text: `The prices of ${tld} ${since}${options.inactive ? "; it is not on sale" : ""}.\n`,
        };
      });
    });
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
