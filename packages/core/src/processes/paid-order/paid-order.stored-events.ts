import { z } from "zod";

import { event, type Earlier, type EventFields, type Output } from "../../kernel/event-definition.ts";
import { cents, id, instant, text } from "../../kernel/fields.ts";
import { refusalFields } from "../charge-refusal.ts";
import type { EventRole, Outcomes } from "./paid-order.events.ts";

/*
 * Stored form of the events of runs: an event plus its role in the flow. Fields that all processes store are
 * defined here. A process adds the event's name, and a description if the role's is not enough.
 */

export const chargeFields = { chargeId: text, invoiceId: id, grossCents: cents };

/** Makes a stored event with a role and its own fields, and adds the time. */
function storedAs<const Role, const Fields extends EventFields>(
  role: Role,
  sentence: string,
  fields: Fields,
) {
  return { role, ...event(sentence, { ...fields, at: instant }) };
}

/** Makes an event that only records the completion of a step. */
function step<const Role extends EventRole>(role: Role) {
  return (sentence: string) => storedAs(role, sentence, {});
}

function reasoned<const Role extends EventRole>(role: Role) {
  return (sentence: string) => storedAs(role, sentence, { reason: text });
}

function ended<const Ends extends Outcomes>(outcomes: Ends) {
  const words = [...new Set<Ends[keyof Outcomes]>([outcomes.done, outcomes.declined, outcomes.undone])];
  return { outcomes, ...storedAs("ended", "The run has ended.", { outcome: z.enum(words) }) };
}

/**
 * Makes the events of a process by their roles.
 * @example
 * defineEvents({
 *   RenewalCharged: event.charged("The account was charged. Next, the run sends the order to the registrar."),
 *   RenewalNeverCharged: event.neverCharged,
 * });
 */
export const orderEvent = {
  /** The subject of a run, with its own times. */
  begun: <const Fields extends EventFields, Old extends object>(
    sentence: string,
    fields: Fields,
    earlier?: Earlier<Old, Output<Fields>>,
  ) => ({ role: "begun" as const, ...event<Fields, Old>(sentence, fields, earlier) }),
  prepared: step("prepared"),
  charged: (sentence: string) => storedAs("charged", sentence, chargeFields),
  declined: (sentence = "The account refused the charge.") => storedAs("declined", sentence, refusalFields),
  /** The order is complete. The fields come from the provider or from our aggregate. */
  done: <const Fields extends EventFields>(sentence: string, fields: Fields) =>
    storedAs("done", sentence, fields),
  refused: reasoned("refused"),
  /** As `refused`, with a code of the catalogue if the customer can act. */
  refusedWithCode: (sentence: string) =>
    storedAs("refused", sentence, { reason: text, code: text.nullable() }),
  pending: (sentence: string) => storedAs("pending", sentence, { nextInquiryAt: instant }),
  /**
   * `interrupted`: the run's owner died around the order. `unanswered`: the order was sent without an answer. `rejected`:
   * the provider refused, perhaps because it had already carried out the order.
   */
  unanswered: (sentence: string, ...others: readonly "rejected"[]) =>
    storedAs("unanswered", sentence, {
      cause: z.enum(["interrupted", "unanswered", ...others]),
      reason: text,
    }),
  inquiryFailed: (sentence: string) =>
    storedAs("inquiryFailed", sentence, { reason: text, nextInquiryAt: instant }),
  notHeld: (sentence: string) => storedAs("notHeld", sentence, { askAgainAt: instant }),
  resumed: step("resumed"),
  fenced: step("fenced"),
  neverCharged: step("neverCharged")("The account has no charge of this run, so nothing is returned."),
  returned: storedAs("returned", "The charge was returned.", { correctionId: id }),
  cancellationDue: (sentence: string) => storedAs("cancellationDue", sentence, { nextAttemptAt: instant }),
  cancelled: step("cancelled"),
  confirmed: step("confirmed"),
  suspended: reasoned("suspended")("The run stopped and waits for staff."),
  retried: step("retried")("Staff let the run try again."),
  abandoned: reasoned("abandoned"),
  ended,
  /** Stored by an earlier design and no longer written. */
  historic: <const Fields extends EventFields>(sentence: string, fields: Fields) =>
    storedAs("historic", sentence, fields),
  /** An event whose data determines its role, or whose fields have other names. */
  translated: storedAs,
};
