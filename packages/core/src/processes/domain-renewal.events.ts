import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, id, instant, text, years } from "../kernel/fields.ts";
import { orderEvent } from "./paid-order/paid-order.stored-events.ts";

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

/** Events of one renewal run (stream `renewal-…`). */
export const renewalRunEvents = defineEvents({
  RenewalRunStarted: orderEvent.begun(
    "The run began. It will charge the account and ask the registrar to renew the name.",
    { ...runStartedV1, restoration: flag },
    { was: [shape(runStartedV1), (data) => ({ ...data, restoration: false })] },
  ),
  RenewalCharged: orderEvent.charged(
    "The account was charged. Next, the run sends the order to the registrar.",
  ),
  RenewalChargeRefused: orderEvent.declined(),
  RenewalOrderCompleted: orderEvent.done("The registrar renewed the name. A renewal cannot be undone.", {
    expiresAt: instant,
  }),
  RenewalOrderRefused: orderEvent.refused(
    "The registrar refused: the name was not renewed for this run and will not be.",
  ),
  RenewalOutcomeUnknown: orderEvent.unanswered(
    "The outcome of the renewal is unknown. The run asks the registrar, and the account stays charged meanwhile.",
    "rejected",
  ),
  RenewalInquiryFailed: orderEvent.inquiryFailed("The registrar did not give a clear answer to the inquiry."),
  RenewalOrderNotHeld: orderEvent.notHeld(
    "The registrar did not answer the order and still reports the old expiry date. The run asks again, because an order may arrive late.",
  ),
  RenewalOrderResumed: orderEvent.resumed(
    "The registrar still reports the old expiry date. The run sends an order that was interrupted before it was sent.",
  ),
  RenewalNeverCharged: orderEvent.neverCharged,
  RenewalChargeReturned: orderEvent.returned,
  RenewalParked: orderEvent.suspended,
  RenewalUnparked: orderEvent.retried,
  RenewalAbandoned: orderEvent.abandoned(
    "Staff ended the run after they had checked that the registrar did not renew. A charge is returned.",
  ),
  RenewalCompleted: orderEvent.ended({ done: "renewed", declined: "failed", undone: "failed" }),
});

export type RenewalEvent = EventOf<typeof renewalRunEvents>;
export type RenewalRunStarted = EventOf<typeof renewalRunEvents, "RenewalRunStarted">;

export const renewalRunCodec = eventCodec(renewalRunEvents);
