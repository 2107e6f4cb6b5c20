import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, flag, id, instant, line, text } from "../kernel/fields.ts";
import { orderEvent } from "./paid-order/paid-order.stored-events.ts";

/** Events of the run of one server order (stream `serverorder-<operation>`). */
export const serverOrderEvents = defineEvents({
  ServerOrderStarted: orderEvent.begun(
    "The run began. It will reserve a unit, charge the account and have the server set up.",
    {
      /** Id of the run, and of its charge and its unit. */
      orderId: text,
      serverId: id,
      accountId: id,
      planId: id,
      planTitle: text,
      cores: count,
      memoryGb: count,
      storageGb: count,
      regionId: id,
      regionCode: text,
      distroId: id,
      distro: text,
      months: z.int().min(1).max(120),
      whitelisted: flag,
      sshKey: line(8_192).nullable(),
      /** Gross price per month in cents (EUR), from the plan at this moment. */
      monthGrossCents: cents,
      /** Charge in cents (EUR); null for a gift or a migration by staff, which takes no unit either. */
      grossCents: cents.nullable(),
      startedAt: instant,
    },
  ),
  ServerOrderUnitTaken: orderEvent.prepared("A unit of the plan was reserved in the region."),
  ServerOrderRefused: orderEvent.declined(
    "The order failed without a charge, because no unit was left or the account refused the charge.",
  ),
  ServerOrderPlaced: orderEvent.prepared("The server's stream recorded the order."),
  ServerOrderCharged: orderEvent.charged(
    "The account was charged. Next, the compute provider sets the server up.",
  ),
  ComputeOrderCompleted: orderEvent.done("The compute provider set the server up on a node.", {
    node: text,
    ipAddress: line(64),
    rdns: line(255),
  }),
  ComputeOrderRefused: orderEvent.refused("The compute provider refused: it set no server up and will not."),
  ComputeOutcomeUnknown: orderEvent.unanswered(
    "The outcome of the order is unknown, so the run asks the compute provider by the order's name.",
  ),
  ComputeInquiryFailed: orderEvent.inquiryFailed(
    "The compute provider did not give a clear answer to the inquiry.",
  ),
  ComputeOrderNotHeld: orderEvent.notHeld(
    "The compute provider did not answer the order and has nothing under its name. The run asks again, because an order may arrive late.",
  ),
  ComputeOrderResumed: orderEvent.resumed(
    "The compute provider has nothing under the order's name. The run sends an order that was interrupted before it was sent.",
  ),
  ServerOrderFailureRecorded: orderEvent.fenced(
    "The server's stream recorded that the order failed, or never recorded the order. The charge can now be returned.",
  ),
  ServerOrderNeverCharged: orderEvent.neverCharged,
  ServerOrderChargeReturned: orderEvent.returned,
  ComputeDestructionDue: orderEvent.cancellationDue(
    "The compute provider has a server that nobody wants any longer, so the run must destroy it.",
  ),
  ComputeServerDestroyed: orderEvent.cancelled("The compute provider destroyed the server."),
  ServerOrderParked: orderEvent.suspended,
  ServerOrderUnparked: orderEvent.retried,
  ServerOrderAbandoned: orderEvent.abandoned(
    "Staff ended the run. A charge is returned, and a reserved unit is released.",
  ),
  ServerOrderCompleted: orderEvent.ended({ done: "provisioned", declined: "refused", undone: "failed" }),
});

export type ServerOrderEvent = EventOf<typeof serverOrderEvents>;
export type ServerOrderStarted = EventOf<typeof serverOrderEvents, "ServerOrderStarted">;
export type ComputeOrderCompleted = EventOf<typeof serverOrderEvents, "ComputeOrderCompleted">;

export const serverOrderCodec = eventCodec(serverOrderEvents);
