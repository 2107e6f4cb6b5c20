import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { extensionOf, type ObjectCommand } from "./command.ts";
import { all, atMost, optional, textIn } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { fee } = namespaces;
const currency = "EUR";

/** The registry's fee per year in cents; other extensions cost `otherYearCents`. */
const yearCents: ReadonlyMap<string, number> = new Map([
  ["com", 850],
  ["net", 900],
  ["org", 1_000],
  ["de", 500],
  ["eu", 600],
  ["io", 3_000],
]);
const otherYearCents = 850;
const restoreCents = 4_000;
/** Extension whose transfers are free and add no year. */
const freeTransfers = "de";

const pricedCommands = ["create", "renew", "transfer", "restore"] as const;

/** Label of premium names, which cost a hundredfold and are registered only if the command contains the fee. */
const premiumLabel = "premium";

function isPremium(name: string): boolean {
  return name.includes(premiumLabel);
}

function centsFor(name: string, command: (typeof pricedCommands)[number], years: number): number {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  if (command === "transfer" && extension === freeTransfers) return 0;
  const yearly = (yearCents.get(extension) ?? otherYearCents) * (isPremium(name) ? 100 : 1);
  return command === "restore" ? restoreCents : yearly * years;
}

function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** Returns the fees that a check asks for (RFC 8748 §5.1.1); empty without the extension. @throws EppRefusal */
export function feesAsked(command: ObjectCommand, names: readonly string[]): readonly XmlElement[] {
  const check = extensionOf(command, fee);
  if (check === undefined) return [];
  refuseOtherCurrency(check);
  const asked = atMost(all(check, "command"), 10, "commands");
  return [
    element(fee, "chkData", [
      element(fee, "currency", currency),
      ...names.map((name) =>
        element(
          fee,
          "cd",
          [
            element(fee, "objID", name),
            element(fee, "class", isPremium(name) ? "premium" : "standard"),
            ...asked.map((each) => priced(name, each)),
          ],
          // `avail` concerns the fee, because unavailable names can be renewed and transferred.
          { avail: "1" },
        ),
      ),
    ]),
  ];
}

function priced(name: string, asked: XmlElement): XmlElement {
  const command = pricedCommands.find((known) => known === asked.attributes.name);
  if (command === undefined)
    throw new EppRefusal(2004, `No fee is taken for ${asked.attributes.name ?? "no name"}.`);
  const period = optional(asked, "period");
  const years = period === undefined ? 1 : Number(textIn(period, /^(?:[1-9]|10)$/, "1 to 10 years"));
  return element(
    fee,
    "command",
    [
      command === "restore" ? undefined : element(fee, "period", String(years), { unit: "y" }),
      element(fee, "fee", euros(centsFor(name, command, years)), {
        description: command,
        refundable: command === "create" ? "1" : "0",
        ...(command === "create" ? { "grace-period": "P5D" } : {}),
      }),
    ],
    { name: command, standard: isPremium(name) ? "0" : "1" },
  );
}

/**
 * Compares the client's expected fee with the price (RFC 8748 §5.2), and returns the fee taken.
 *
 * @param operation element name of the answer.
 * @throws EppRefusal 2003 for a premium name without a fee; 2004 for a lower fee or another currency.
 */
export function feeTaken(
  command: ObjectCommand,
  name: string,
  { of: priceOf, years }: { readonly of: (typeof pricedCommands)[number]; readonly years: number },
): readonly XmlElement[] {
  const expected = extensionOf(command, fee);
  if (expected === undefined && priceOf === "create" && isPremium(name))
    throw new EppRefusal(2003, `${name} is registered only to who names its fee.`);
  if (expected === undefined) return [];
  refuseOtherCurrency(expected);
  const price = euros(centsFor(name, priceOf, years));
  const fees = all(expected, "fee").map((each) =>
    Number(textIn(each, /^\d{1,9}(?:\.\d{1,2})?$/, "an amount")),
  );
  const total = fees.reduce((sum, amount) => sum + Math.round(amount * 100), 0);
  if (total < Math.round(Number(price) * 100)) throw new EppRefusal(2004, `The fee is ${price} ${currency}.`);
  const answer: Readonly<Record<string, string>> = {
    create: "creData",
    renew: "renData",
    transfer: "trnData",
  };
  return [
    element(fee, answer[priceOf] ?? "updData", [
      element(fee, "currency", currency),
      element(fee, "fee", price),
    ]),
  ];
}

function refuseOtherCurrency(extension: XmlElement): void {
  const asked = optional(extension, "currency")?.text ?? currency;
  if (asked !== currency) throw new EppRefusal(2004, `Fees are in ${currency}.`);
}
