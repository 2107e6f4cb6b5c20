import type { RegistryFee } from "@hostledger/core";

import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childOf, childrenOf, element, XmlError, type XmlElement } from "./xml.ts";

const { fee } = namespaces;

/** Asks in a check for an order's fee in the registry's currency (RFC 8748 §5.1.1). */
export function askFee({ kind, years }: { readonly kind: string; readonly years: number }): XmlElement {
  const period = element(fee, "period", String(years), { unit: "y" });
  return element(fee, "check", [element(fee, "command", [period], { name: kind })]);
}

/** Parses an order's fee from a check; undefined if absent. @throws XmlError for a malformed amount */
export function readFee({ extensions }: Response, name: string, kind: string): RegistryFee | undefined {
  const answer = extensions.find((one) => one.namespace === fee && one.name === "chkData");
  const about = (answer === undefined ? [] : childrenOf(answer, fee, "cd")).find(
    (cd) => childOf(cd, fee, "objID")?.text.toLowerCase() === name,
  );
  if (answer === undefined || about === undefined) return undefined;
  const command = childrenOf(about, fee, "command").find(({ attributes }) => attributes.name === kind);
  const fees = command === undefined ? [] : childrenOf(command, fee, "fee");
  if (command === undefined || fees.length === 0) return undefined;
  const of = childOf(about, fee, "class")?.text.toLowerCase() ?? "standard";
  return {
    cents: fees.reduce((sum, { text }) => sum + centsIn(text), 0n),
    currency:
      /^[A-Za-z]{3}$/.exec(childOf(answer, fee, "currency")?.text.trim() ?? "")?.[0].toUpperCase() ?? "",
    // Without both attributes nothing is known, although the schema's default would mean premium.
    isPremium: of !== "standard" || ["0", "false"].includes(command.attributes.standard ?? ""),
  };
}

/** Rounds fractions of a cent up, because the price must cover the fee. */
function centsIn(amount: string): bigint {
  const [, whole, cents = "", rest = ""] = /^(\d{1,12})(?:\.(\d{1,2})(\d{0,4}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new XmlError("A fee is no amount.");
  return BigInt(whole + cents.padEnd(2, "0")) + (/[1-9]/.test(rest) ? 1n : 0n);
}
