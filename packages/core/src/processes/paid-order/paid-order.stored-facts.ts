import { z } from "zod";

import { event, type Earlier, type EventFields, type Output } from "../../kernel/event-definition.ts";
import { cents, id, instant, text } from "../../kernel/fields.ts";
import { refusalFields } from "../charge-refusal.ts";
import type { FactRole, Outcomes } from "./paid-order.facts.ts";

/*
 * How the facts of runs are stored: an event, with the role that it plays in the flow. What all processes store alike has
 * its fields here; a process gives it a name, and a sentence where there is more to say than the role does.
 */

/** The fields of a charge that stands, in the facts of runs. */
export const chargeFields = { chargeId: text, invoiceId: id, grossCents: cents };

/** A fact with a role, of the fields that are its own; the time is added. */
function storedAs<const Role, const Fields extends EventFields>(
  role: Role,
  sentence: string,
  fields: Fields,
) {
  return { role, ...event(sentence, { ...fields, at: instant }) };
}

/** A fact that says nothing but that a step is done. */
function step<const Role extends FactRole>(role: Role) {
  return (sentence: string) => storedAs(role, sentence, {});
}

/** A fact that says why. */
function reasoned<const Role extends FactRole>(role: Role) {
  return (sentence: string) => storedAs(role, sentence, { reason: text });
}

function ended<const Ends extends Outcomes>(outcomes: Ends) {
  const words = [...new Set<Ends[keyof Outcomes]>([outcomes.done, outcomes.declined, outcomes.undone])];
  return { outcomes, ...storedAs("ended", "The run has ended.", { outcome: z.enum(words) }) };
}

/**
 * Makes the facts of a process, by their roles.
 *
 * @example
 * defineEvents({
 *   RenewalCharged: fact.charged("The account was charged; the order to the registrar is next."),
 *   RenewalNeverCharged: fact.neverCharged,
 * });
 */
export const fact = {
  /** What a run is about. It bears its own times. */
  begun: <const Fields extends EventFields, Old extends object>(
    sentence: string,
    fields: Fields,
    earlier?: Earlier<Old, Output<Fields>>,
  ) => ({ role: "begun" as const, ...event<Fields, Old>(sentence, fields, earlier) }),
  prepared: step("prepared"),
  charged: (sentence: string) => storedAs("charged", sentence, chargeFields),
  declined: (sentence = "The account refused the charge.") => storedAs("declined", sentence, refusalFields),
  /** What was ordered is there: the fields are what the provider, or our aggregate, tells of it. */
  done: <const Fields extends EventFields>(sentence: string, fields: Fields) =>
    storedAs("done", sentence, fields),
  refused: reasoned("refused"),
  /** The same with a code of the catalogue where the customer can do something about it. */
  refusedWithCode: (sentence: string) =>
    storedAs("refused", sentence, { reason: text, code: text.nullable() }),
  pending: (sentence: string) => storedAs("pending", sentence, { nextInquiryAt: instant }),
  /**
   * `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered. `rejected`,
   * where the process knows it: the provider said no, perhaps since it had carried out the order already.
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
  neverCharged: step("neverCharged")("The account knows of no charge: there is nothing to return."),
  returned: storedAs("returned", "The charge was returned.", { correctionId: id }),
  cancellationDue: (sentence: string) => storedAs("cancellationDue", sentence, { nextAttemptAt: instant }),
  cancelled: step("cancelled"),
  confirmed: step("confirmed"),
  suspended: reasoned("suspended")("The run waits for staff."),
  retried: step("retried")("Staff lets the run try again."),
  abandoned: reasoned("abandoned"),
  ended,
  /** Stored by an earlier design and no longer written. */
  historic: <const Fields extends EventFields>(sentence: string, fields: Fields) =>
    storedAs("historic", sentence, fields),
  /** One that tells its role by its data, or keeps that under other names. */
  translated: storedAs,
};
