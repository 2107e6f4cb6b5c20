import { assertNever } from "@hostledger/core";

import { behaviourOf, type OrderFate } from "../../sandbox/labels.ts";
import { EppRefusal, resultCodeOf } from "./result-codes.ts";

/** Simulated fault of an order over EPP. */
export type WireFate =
  | { readonly kind: "answered" }
  /** The order is refused. */
  | { readonly kind: "refused"; readonly refusal: EppRefusal }
  /** The order is neither carried out nor answered. */
  | { readonly kind: "swallowed" }
  /** The connection is closed before the order is carried out. */
  | { readonly kind: "cut-before" }
  /** The order is carried out, but its answer is damaged or missing. */
  | { readonly kind: "damaged"; readonly damage: Damage }
  /** The order is carried out a second later and answered with 1001. */
  | { readonly kind: "pending" }
  /** Faults of the sandbox itself. */
  | { readonly kind: "in-limbo" }
  | { readonly kind: "late" };

/** Damage to an answer. */
export type Damage = "cut" | "half-frame" | "wrong-length" | "silence";

/** A row of the README's table. */
export interface EppLabel {
  readonly label: string;
  readonly meaning: string;
  readonly fate: WireFate;
}

/** Labels with a meaning only over EPP, anywhere in a name; the first match wins. */
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

/** Returns true if the registry shows the domain's expiry. */
export function showsExpiry(name: string): boolean {
  return !name.includes("noexdate");
}

/** Returns true while the registry does not answer about a recently registered name. */
export function isUnread(name: string, registeredAt: string, atMs: number): boolean {
  return name.includes("unread") && Date.parse(registeredAt) + 2_000 > atMs;
}

/** Returns the simulated fault of an order for a name. */
export function wireFateOf(name: string): WireFate {
  const code = /code(\d{4})/.exec(name)?.[1];
  if (code === "1001") return { kind: "pending" };
  const resultCode = code === undefined ? undefined : resultCodeOf(code);
  if (resultCode !== undefined && resultCode >= 2_000)
    return {
      kind: "refused",
      refusal: new EppRefusal(resultCode, `The label in ${name} requests this refusal.`),
    };
  const labelled = eppLabels.find(({ label }) => name.includes(label));
  if (labelled !== undefined) return labelled.fate;
  const { order, available, elsewhere } = behaviourOf(name);
  // The registry refuses taken names itself; a name at another registrar can be ordered.
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
