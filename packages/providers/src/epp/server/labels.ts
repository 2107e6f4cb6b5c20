import { assertNever } from "@hostledger/core";

import { behaviourOf, type OrderFate } from "../../sandbox/labels.ts";
import { EppRefusal, resultCodeOf } from "./result-codes.ts";

/** What becomes of an order over EPP, beside being carried out and answered. */
export type WireFate =
  | { readonly kind: "answered" }
  /** Not carried out, and answered so. */
  | { readonly kind: "refused"; readonly refusal: EppRefusal }
  /** Neither carried out nor answered. */
  | { readonly kind: "swallowed" }
  /** The connection is cut before anything happens. */
  | { readonly kind: "cut-before" }
  /** Carried out, and what is answered arrives damaged or not at all. */
  | { readonly kind: "damaged"; readonly damage: Damage }
  /** Carried out a second later, answered with 1001. */
  | { readonly kind: "pending" }
  /** As the sandbox's own fates of these names. */
  | { readonly kind: "in-limbo" }
  | { readonly kind: "late" };

/** What an answer suffers on its way. */
export type Damage = "cut" | "half-frame" | "wrong-length" | "silence";

/** One row of the table that the README shows. */
export interface EppLabel {
  readonly label: string;
  readonly meaning: string;
  readonly fate: WireFate;
}

/** The labels that mean something over EPP alone, at any place of a name; the upper wins. `code` and four digits stand beside them. */
export const eppLabels: readonly EppLabel[] = [
  {
    label: "cutbefore",
    meaning: "the connection is cut, the order is not carried out",
    fate: { kind: "cut-before" },
  },
  {
    label: "cutafter",
    meaning: "the order is carried out, then the connection is cut",
    fate: { kind: "damaged", damage: "cut" },
  },
  {
    label: "halfframe",
    meaning: "the order is carried out, the answer breaks off in the middle",
    fate: { kind: "damaged", damage: "half-frame" },
  },
  {
    label: "wronglength",
    meaning: "the order is carried out, the answer's length does not count its own four bytes",
    fate: { kind: "damaged", damage: "wrong-length" },
  },
  {
    label: "noexdate",
    meaning: "the registry never tells the expiry date (RFC 5731 makes it optional)",
    fate: { kind: "answered" },
  },
  {
    label: "unread",
    meaning: "the order is carried out; then the registry answers 2400 about the name for two seconds",
    fate: { kind: "answered" },
  },
];

/** Whether the registry tells until when it has a name. */
export function tellsExpiry(name: string): boolean {
  return !name.includes("noexdate");
}

/** Whether the registry gives no answer yet about a name that was just registered. */
export function isUnread(name: string, registeredAt: string, atMs: number): boolean {
  return name.includes("unread") && Date.parse(registeredAt) + 2_000 > atMs;
}

/** What becomes of an order for a name. */
export function wireFateOf(name: string): WireFate {
  const code = /code(\d{4})/.exec(name)?.[1];
  if (code === "1001") return { kind: "pending" };
  const resultCode = code === undefined ? undefined : resultCodeOf(code);
  if (resultCode !== undefined && resultCode >= 2_000)
    return { kind: "refused", refusal: new EppRefusal(resultCode, `The label of ${name} asks for it.`) };
  const labelled = eppLabels.find(({ label }) => name.includes(label));
  if (labelled !== undefined) return labelled.fate;
  const { order, available, elsewhere } = behaviourOf(name);
  // That a name is taken is what the registry says of it by itself; one that another registrar holds can be asked for.
  return available || elsewhere !== null ? fateOverEpp(order, name) : { kind: "answered" };
}

function fateOverEpp(fate: OrderFate, name: string): WireFate {
  switch (fate) {
    case "carried-out":
      return { kind: "answered" };
    case "rejected":
      return {
        kind: "refused",
        refusal: new EppRefusal(2306, `The registry rejects the order for ${name}.`),
      };
    case "unreachable":
      return { kind: "refused", refusal: new EppRefusal(2400, "The registry cannot be reached.") };
    case "swallowed":
      return { kind: "swallowed" };
    case "answer-lost":
      return { kind: "damaged", damage: "cut" };
    case "in-limbo":
      return { kind: "in-limbo" };
    case "late":
      return { kind: "late" };
    default:
      return assertNever(fate);
  }
}
