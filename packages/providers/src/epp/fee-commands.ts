import type { RegistryFee } from "@hostledger/core";

import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childOf, childrenOf, element, XmlError, type XmlElement } from "./xml.ts";

const { fee } = namespaces;

/** Asks in a check what an order costs (RFC 8748 §5.1.1). The registry tells it in its own currency. */
export function askFee({ kind, years }: { readonly kind: string; readonly years: number }): XmlElement {
  const period = element(fee, "period", String(years), { unit: "y" });
  return element(fee, "check", [element(fee, "command", [period], { name: kind })]);
}

/** What a check says an order costs; undefined where it does not. @throws XmlError for an amount that is none */
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
    // Registries that leave both out say nothing of the name, though the schema takes that for a premium one.
    isPremium: of !== "standard" || ["0", "false"].includes(command.attributes.standard ?? ""),
  };
}

/** Fractions of a cent count whole: the price must cover them. */
function centsIn(amount: string): bigint {
  const [, whole, cents = "", rest = ""] = /^(\d{1,12})(?:\.(\d{1,2})(\d{0,4}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new XmlError("A fee is no amount.");
  return BigInt(whole + cents.padEnd(2, "0")) + (/[1-9]/.test(rest) ? 1n : 0n);
}
