import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, id, instant, text, years } from "../kernel/fields.ts";
import { chargeFields, refusalFields } from "./charge-fields.ts";

/** The facts of one renewal run (stream `renewal-…`): what it intends, and what came of every step. */
export const renewalRunEvents = defineEvents({
  RenewalRunStarted: event("The run began: it will charge the account and have the name renewed.", {
    renewalId: text,
    domainId: id,
    accountId: id,
    name: hostname,
    years,
    automatic: flag,
    expiresAt: instant,
    yearNetCents: cents,
    startedAt: instant,
  }),
  RenewalCharged: event("The account was charged; the order to the registrar is next.", {
    ...chargeFields,
    at: instant,
  }),
  RenewalChargeRefused: event("The account refused the charge.", { ...refusalFields, at: instant }),
  RenewalOrderCompleted: event("The registrar has renewed the name. That cannot be undone.", {
    expiresAt: instant,
    at: instant,
  }),
  RenewalOrderRefused: event("The registrar certainly did not and will not renew the name for this run.", {
    reason: text,
    at: instant,
  }),
  RenewalOutcomeUnknown: event(
    "Nobody here knows whether the name was renewed: the registrar is asked, and the charge stands meanwhile.",
    {
      /**
       * `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered.
       * `rejected`: the registrar said no, perhaps since it had renewed the name already.
       */
      cause: z.enum(["interrupted", "unanswered", "rejected"]),
      reason: text,
      at: instant,
    },
  ),
  RenewalInquiryFailed: event("The registrar could not tell either.", {
    reason: text,
    nextInquiryAt: instant,
    at: instant,
  }),
  RenewalOrderNotHeld: event(
    "The registrar has the old expiry date, and did not answer the order: it is asked again, since orders come late.",
    { askAgainAt: instant, at: instant },
  ),
  RenewalOrderResumed: event(
    "The registrar still has the old expiry date: an order that was interrupted before it was sent is sent now.",
    { at: instant },
  ),
  RenewalNeverCharged: event("The account knows of no charge: there is nothing to return.", { at: instant }),
  RenewalChargeReturned: event("The charge was returned.", { correctionId: id, at: instant }),
  RenewalParked: event("The run waits for staff.", { reason: text, at: instant }),
  RenewalUnparked: event("Staff lets the run try again.", { at: instant }),
  RenewalAbandoned: event(
    "Staff ends the run, having made sure that the registrar did not renew: what was charged is returned.",
    { reason: text, at: instant },
  ),
  RenewalCompleted: event("The run has ended.", { outcome: z.enum(["renewed", "failed"]), at: instant }),
});

/** Everything that happens in a renewal run. */
export type RenewalEvent = EventOf<typeof renewalRunEvents>;
/** The run began: it will charge the account and have the name renewed. */
export type RenewalRunStarted = EventOf<typeof renewalRunEvents, "RenewalRunStarted">;
/** The account was charged; the order to the registrar is next. */
export type RenewalCharged = EventOf<typeof renewalRunEvents, "RenewalCharged">;
/** Nobody here knows whether the name was renewed: the registrar is asked, and the charge stands meanwhile. */
export type RenewalOutcomeUnknown = EventOf<typeof renewalRunEvents, "RenewalOutcomeUnknown">;
/** The run waits for staff. */
export type RenewalParked = EventOf<typeof renewalRunEvents, "RenewalParked">;

/** Reads and names a renewal run's events. */
export const renewalRunCodec = eventCodec(renewalRunEvents);
