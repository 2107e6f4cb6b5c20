import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, percent, text } from "../kernel/fields.ts";
import { renewedServer } from "../server/server.events.ts";
import type { OrderEvent } from "./paid-order/paid-order.events.ts";
import { chargeFields, orderEvent } from "./paid-order/paid-order.stored-events.ts";

const startedV1 = {
  /** Id of the run and of its charge. */
  renewalId: text,
  serverId: id,
  accountId: id,
  planId: id,
  planTitle: text,
  months: z.int().min(1).max(12),
  /** Gross price per month in cents (EUR). */
  monthGrossCents: cents,
  discountPercent: percent,
  surchargePercent: percent,
  grossCents: cents,
  startedAt: instant,
};

/** Events of the run of one server renewal (stream `serverrenewal-<operation>`), with its fixed price. */
export const serverRenewalEvents = defineEvents({
  ServerRenewalStarted: orderEvent.begun(
    "The run began at a fixed price. Later changes of the plan or the server do not change the price.",
    { ...startedV1, ...renewedServer },
    { was: [shape(startedV1), (data) => ({ ...data, hostname: null, period: null })] },
  ),
  ServerRenewalCharged: orderEvent.charged(
    "The account was charged. Next, the run records the renewal in the server's stream.",
  ),
  ServerRenewalChargeRefused: orderEvent.declined(),
  ServerRenewalRecorded: orderEvent.done(
    "The server's stream recorded the renewal and the charge that paid for it.",
    { ...chargeFields, wasSuspended: flag, expiresAt: instant },
  ),
  ServerRenewalNotRecorded: orderEvent.translated(
    {
      // One stored name for two roles: the server refused (`code` is set), or it has no such renewal and staff end the run
      // (`code` is null).
      read: ({ code, message }: { readonly code: string | null; readonly message: string }) =>
        code === null
          ? ({ role: "fenced", data: {} } as const)
          : ({ role: "refused", data: { reason: message, code } } as const),
      write(written: OrderEvent<unknown, unknown>) {
        if (written.role === "fenced") return { code: null, message: "Staff ended the renewal" };
        if (written.role !== "refused") return undefined;
        return { code: written.data.code ?? null, message: written.data.reason };
      },
    },
    "The server's stream did not record the renewal and will not, so the charge is returned.",
    { code: text.nullable(), message: text },
  ),
  ServerRenewalNeverCharged: orderEvent.neverCharged,
  ServerRenewalChargeReturned: orderEvent.returned,
  // Earlier designs started the server again in the run.
  ServerResumptionFailed: orderEvent.historic(
    "The compute provider did not start the suspended server, so the run asks again.",
    { reason: text, nextAttemptAt: instant },
  ),
  ServerRenewalParked: orderEvent.suspended,
  ServerRenewalUnparked: orderEvent.retried,
  ServerRenewalAbandoned: orderEvent.abandoned(
    "Staff ended the run. A recorded renewal stays; a charge without a renewal is returned.",
  ),
  ServerRenewalCompleted: orderEvent.ended({ done: "renewed", declined: "refused", undone: "refunded" }),
});

export type ServerRenewalEvent = EventOf<typeof serverRenewalEvents>;
/** The run began at a fixed price. Later changes of the plan or the server do not change the price. */
export type ServerRenewalStarted = EventOf<typeof serverRenewalEvents, "ServerRenewalStarted">;
export type ServerRenewalRecorded = EventOf<typeof serverRenewalEvents, "ServerRenewalRecorded">;

export const serverRenewalCodec = eventCodec(serverRenewalEvents);
