import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, percent, text } from "../kernel/fields.ts";
import type { Fact } from "./paid-order/paid-order.facts.ts";
import { chargeFields, fact } from "./paid-order/paid-order.stored-facts.ts";

/** The facts of one renewal's run (stream `serverrenewal-<operation>`): its frozen price, and what came of every step. */
export const serverRenewalEvents = defineEvents({
  ServerRenewalStarted: fact.begun(
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
  ServerRenewalCharged: fact.charged("The account was charged; the server's own stream is told next."),
  ServerRenewalChargeRefused: fact.declined(),
  ServerRenewalRecorded: fact.done(
    "The server's own stream tells of the renewal, with the charge that paid for it.",
    { ...chargeFields, wasSuspended: flag, expiresAt: instant },
  ),
  ServerRenewalNotRecorded: fact.translated(
    {
      // One name for two: the server refused (a code), or it has no such renewal and staff ends the run (none).
      read: ({ code, message }: { readonly code: string | null; readonly message: string }) =>
        code === null
          ? ({ role: "fenced", data: {} } as const)
          : ({ role: "refused", data: { reason: message, code } } as const),
      write(written: Fact<unknown, unknown>) {
        if (written.role === "fenced") return { code: null, message: "Staff ended the renewal" };
        if (written.role !== "refused") return undefined;
        return { code: written.data.code ?? null, message: written.data.reason };
      },
    },
    "The server's own stream tells of no such renewal and will not: the charge goes back.",
    { code: text.nullable(), message: text },
  ),
  ServerRenewalNeverCharged: fact.neverCharged,
  ServerRenewalChargeReturned: fact.returned,
  // To start the server again was a step of the run once.
  ServerResumptionFailed: fact.historic(
    "The compute party did not start the suspended server again; it is asked again.",
    { reason: text, nextAttemptAt: instant },
  ),
  ServerRenewalParked: fact.suspended,
  ServerRenewalUnparked: fact.retried,
  ServerRenewalAbandoned: fact.abandoned(
    "Staff ends the run: a renewal that was recorded stays, and what was charged for none is returned.",
  ),
  ServerRenewalCompleted: fact.ended({ done: "renewed", declined: "refused", undone: "refunded" }),
});

/** Everything that happens to the run of a renewal. */
export type ServerRenewalEvent = EventOf<typeof serverRenewalEvents>;
/** The run began, at a price that stands whatever happens to the plan or the server meanwhile. */
export type ServerRenewalStarted = EventOf<typeof serverRenewalEvents, "ServerRenewalStarted">;
/** The server's own stream tells of the renewal, with the charge that paid for it. */
export type ServerRenewalRecorded = EventOf<typeof serverRenewalEvents, "ServerRenewalRecorded">;

/** Reads and names the events of a renewal's run. */
export const serverRenewalCodec = eventCodec(serverRenewalEvents);
