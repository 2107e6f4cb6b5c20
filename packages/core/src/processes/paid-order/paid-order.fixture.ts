import type { PaidOrderInput } from "./paid-order.inputs.ts";
import type { Charge } from "./paid-order.state.ts";

/** Quiet period in specs, in milliseconds, as in the sandbox. */
export const quietMs = 10_000;

/** Returns one example of every input; no step expects the rejection of `rejected`. */
export function inputsOf<Subject, Held>({
  subject,
  charge,
  held,
  at,
}: {
  readonly subject: Subject;
  readonly charge: Charge;
  readonly held: Held;
  readonly at: string;
}) {
  return {
    begun: { type: "begun", subject, at },
    "begun again": { type: "begun", subject, again: true, at },
    charged: { type: "charged", charge, at },
    "charged-before": { type: "charged-before", charge, at },
    refunded: { type: "refunded", correctionId: 102, at },
    accepted: { type: "accepted", at },
    rejected: { type: "rejected", rejection: { code: "internal", message: "Internal error." }, at },
    held: { type: "held", held, at },
    pending: { type: "pending", at },
    "not-held": { type: "not-held", at },
    done: { type: "done", at },
    refused: { type: "refused", reason: "Policy", at },
    unreachable: { type: "unreachable", reason: "No route", at },
    unknown: { type: "unknown", reason: "No answer", at },
    resumed: { type: "resumed", at },
    failed: { type: "failed", reason: "The service is down", at },
    retried: { type: "retried", at },
    abandoned: { type: "abandoned", reason: "The customer called", at },
  } as const satisfies {
    readonly [Type in PaidOrderInput<Subject, Held>["type"] | "begun again"]: Extract<
      PaidOrderInput<Subject, Held>,
      { type: Type extends "begun again" ? "begun" : Type }
    >;
  };
}
