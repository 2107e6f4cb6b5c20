import type { RegistryFee } from "@hostledger/core";

import { feeElements } from "./extension-elements.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { XmlError, type XmlElement } from "./xml.ts";

/** Asks in a check for an order's fee in the registry's currency (RFC 8748 §5.1.1). */
export function askFee({ kind, years }: { readonly kind: string; readonly years: number }): XmlElement {
  return feeElements.check.write({ commands: [{ name: kind, years }] });
}

/** Parses an order's fee from a check; undefined if absent. @throws XmlError for a malformed amount */
export function readFee({ extensions }: Response, name: string, kind: string): RegistryFee | undefined {
  const shown = extensions.find((one) => one.namespace === namespaces.fee && one.name === "chkData");
  const { currency = "", answers } = shown ? feeElements.chkData.read(shown) : { answers: [] };
  const about = answers.find((answer) => answer.name.toLowerCase() === name);
  const command = about?.commands.find((one) => one.name === kind);
  if (command === undefined || command.fees.length === 0) return undefined;
  return {
    cents: command.fees.reduce((sum, { amount }) => sum + centsIn(amount), 0n),
    currency: /^[A-Za-z]{3}$/.exec(currency)?.[0].toUpperCase() ?? "",
    // Without both attributes nothing is known, although the schema's default would mean premium.
    isPremium: (about?.class?.toLowerCase() ?? "standard") !== "standard" || command.isStandard === false,
  };
}

/** Rounds fractions of a cent up, because the price must cover the fee. */
function centsIn(amount: string): bigint {
  const [, whole, cents = "", rest = ""] = /^(\d{1,12})(?:\.(\d{1,2})(\d{0,4}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new XmlError("A fee is not a valid amount.");
  return BigInt(whole + cents.padEnd(2, "0")) + (/[1-9]/.test(rest) ? 1n : 0n);
}
