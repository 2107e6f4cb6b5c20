import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, id, instant, text, years } from "../kernel/fields.ts";
import { fact } from "./paid-order/paid-order.stored-facts.ts";

const runStartedV1 = {
  renewalId: text,
  domainId: id,
  accountId: id,
  name: hostname,
  years,
  automatic: flag,
  expiresAt: instant,
  yearNetCents: cents,
  startedAt: instant,
};

/** The facts of one renewal run (stream `renewal-…`): what it intends, and what came of every step. */
export const renewalRunEvents = defineEvents({
  RenewalRunStarted: fact.begun(
    "The run began: it will charge the account and have the name renewed.",
    { ...runStartedV1, restoration: flag },
    { was: [shape(runStartedV1), (data) => ({ ...data, restoration: false })] },
  ),
  RenewalCharged: fact.charged("The account was charged; the order to the registrar is next."),
  RenewalChargeRefused: fact.declined(),
  RenewalOrderCompleted: fact.done("The registrar has renewed the name. That cannot be undone.", {
    expiresAt: instant,
  }),
  RenewalOrderRefused: fact.refused(
    "The registrar certainly did not and will not renew the name for this run.",
  ),
  RenewalOutcomeUnknown: fact.unanswered(
    "Nobody here knows whether the name was renewed: the registrar is asked, and the charge stands meanwhile.",
    "rejected",
  ),
  RenewalInquiryFailed: fact.inquiryFailed("The registrar could not tell either."),
  RenewalOrderNotHeld: fact.notHeld(
    "The registrar has the old expiry date, and did not answer the order: it is asked again, since orders come late.",
  ),
  RenewalOrderResumed: fact.resumed(
    "The registrar still has the old expiry date: an order that was interrupted before it was sent is sent now.",
  ),
  RenewalNeverCharged: fact.neverCharged,
  RenewalChargeReturned: fact.returned,
  RenewalParked: fact.suspended,
  RenewalUnparked: fact.retried,
  RenewalAbandoned: fact.abandoned(
    "Staff ends the run, having made sure that the registrar did not renew: what was charged is returned.",
  ),
  RenewalCompleted: fact.ended({ done: "renewed", declined: "failed", undone: "failed" }),
});

/** Everything that happens in a renewal run. */
export type RenewalEvent = EventOf<typeof renewalRunEvents>;
/** The run began: it will charge the account and have the name renewed. */
export type RenewalRunStarted = EventOf<typeof renewalRunEvents, "RenewalRunStarted">;

/** Reads and names a renewal run's events. */
export const renewalRunCodec = eventCodec(renewalRunEvents);
