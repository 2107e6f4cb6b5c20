import { feeAmount, feeElements } from "../extension-elements.ts";
import { namespaces } from "../namespaces.ts";
import type { XmlElement } from "../xml.ts";
import { extensionOf, refuse, type ObjectCommand } from "./command.ts";
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
export function requestedFees(command: ObjectCommand, names: readonly string[]): readonly XmlElement[] {
  const check = extensionOf(command, fee);
  if (check === undefined) return [];
  const asked = feeElements.check.read(check, refuse);
  refuseOtherCurrency(asked.currency);
  const answers = names.map((name) => ({
    // Concerns the fee, because unavailable names can be renewed and transferred.
    available: true,
    name,
    class: isPremium(name) ? "premium" : "standard",
    commands: asked.commands.map((each) => priced(name, each.name, each.years ?? 1)),
  }));
  return [feeElements.chkData.write({ currency, answers })];
}

function priced(name: string, asked = "no name", years: number) {
  const command = pricedCommands.find((known) => known === asked);
  if (command === undefined) throw new EppRefusal(2004, `No fee is taken for ${asked}.`);
  const isCreation = command === "create";
  return {
    name: command,
    isStandard: !isPremium(name),
    years: command === "restore" ? undefined : years,
    fees: [
      {
        amount: euros(centsFor(name, command, years)),
        description: command,
        refundable: isCreation,
        gracePeriod: isCreation ? "P5D" : undefined,
      },
    ],
  };
}

/** Names of the elements with the fee taken. */
const answerNames = { create: "creData", renew: "renData", transfer: "trnData", restore: "updData" } as const;

/**
 * Compares the client's expected fee with the price (RFC 8748 §5.2), and returns the fee taken.
 *
 * @throws EppRefusal 2003 for a premium name without a fee; 2004 for a lower fee or another currency.
 */
export function feeTaken(
  command: ObjectCommand,
  name: string,
  { of: priceOf, years }: { readonly of: (typeof pricedCommands)[number]; readonly years: number },
): readonly XmlElement[] {
  const extension = extensionOf(command, fee);
  if (extension === undefined && priceOf === "create" && isPremium(name))
    throw new EppRefusal(2003, `${name} is registered only if the order names its fee.`);
  if (extension === undefined) return [];
  const expected = feeAmount(extension.name).read(extension, refuse);
  refuseOtherCurrency(expected.currency);
  const price = euros(centsFor(name, priceOf, years));
  const total = expected.fees.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0);
  if (total < Math.round(Number(price) * 100)) throw new EppRefusal(2004, `The fee is ${price} ${currency}.`);
  return [feeAmount(answerNames[priceOf]).write({ currency, fees: [price] })];
}

function refuseOtherCurrency(asked = currency): void {
  if (asked !== currency) throw new EppRefusal(2004, `Fees are in ${currency}.`);
}
