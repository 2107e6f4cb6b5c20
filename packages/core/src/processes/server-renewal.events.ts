import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, percent, text } from "../kernel/fields.ts";
import { chargeFields, refusalFields } from "./charge-fields.ts";

/** The facts of one renewal's run (stream `serverrenewal-<operation>`): its frozen price, and what came of every step. */
export const serverRenewalEvents = defineEvents({
  ServerRenewalStarted: event(
    "The run began, at a price that stands whatever happens to the plan or the server meanwhile.",
    {
      /** The run's own id; its charge bears it too. */
      renewalId: text,
      serverId: id,
      accountId: id,
      planId: id,
      planTitle: text,
      months: z.int().min(1).max(12),
      /** Gross price of a month in cents (EUR). */
      monthGrossCents: cents,
      discountPercent: percent,
      surchargePercent: percent,
      /** What is charged in cents (EUR). */
      grossCents: cents,
      startedAt: instant,
    },
  ),
  ServerRenewalCharged: event("The account was charged; the server's own stream is told next.", {
    ...chargeFields,
    at: instant,
  }),
  ServerRenewalChargeRefused: event("The account refused the charge.", { ...refusalFields, at: instant }),
  ServerRenewalRecorded: event(
    "The server's own stream tells of the renewal, with the charge that paid for it.",
    { ...chargeFields, wasSuspended: flag, expiresAt: instant, at: instant },
  ),
  ServerRenewalNotRecorded: event(
    "The server's own stream tells of no such renewal and will not: the charge goes back.",
    {
      /** The server's refusal, a code of the catalogue; null where staff ended the run. */
      code: text.nullable(),
      message: text,
      at: instant,
    },
  ),
  ServerRenewalNeverCharged: event("The account knows of no charge: there is nothing to return.", {
    at: instant,
  }),
  ServerRenewalChargeReturned: event("The charge was returned.", { correctionId: id, at: instant }),
  ServerResumptionFailed: event(
    "The compute party did not start the suspended server again; it is asked again.",
    { reason: text, nextAttemptAt: instant, at: instant },
  ),
  ServerRenewalParked: event("The run waits for staff.", { reason: text, at: instant }),
  ServerRenewalUnparked: event("Staff lets the run try again.", { at: instant }),
  ServerRenewalAbandoned: event(
    "Staff ends the run: a renewal that was recorded stays, and what was charged for none is returned.",
    { reason: text, at: instant },
  ),
  ServerRenewalCompleted: event("The run has ended.", {
    /** `refused`: the account said no. `refunded`: nothing stays charged. */
    outcome: z.enum(["renewed", "refused", "refunded"]),
    at: instant,
  }),
});

/** Everything that happens to the run of a renewal. */
export type ServerRenewalEvent = EventOf<typeof serverRenewalEvents>;
/** The run began, at a price that stands whatever happens to the plan or the server meanwhile. */
export type ServerRenewalStarted = EventOf<typeof serverRenewalEvents, "ServerRenewalStarted">;
/** The server's own stream tells of the renewal, with the charge that paid for it. */
export type ServerRenewalRecorded = EventOf<typeof serverRenewalEvents, "ServerRenewalRecorded">;
/** The run has ended. */
export type ServerRenewalCompleted = EventOf<typeof serverRenewalEvents, "ServerRenewalCompleted">;

/** Reads and names the events of a renewal's run. */
export const serverRenewalCodec = eventCodec(serverRenewalEvents);
