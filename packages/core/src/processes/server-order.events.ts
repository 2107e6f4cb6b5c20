import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, flag, id, instant, line, text } from "../kernel/fields.ts";
import { fact } from "./paid-order/paid-order.stored-facts.ts";

/** The facts of one order's run (stream `serverorder-<operation>`): what it intends, and what came of every step. */
export const serverOrderEvents = defineEvents({
  ServerOrderStarted: fact.begun(
    "The run began: it will take a unit, charge the account and have the server set up.",
    {
      /** The run's own id; its charge and its unit bear it too. */
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
      /** Gross price of a month in cents (EUR), from the plan at this moment. */
      monthGrossCents: cents,
      /** What is charged in cents (EUR); null for a gift or a migration by staff, which takes no unit either. */
      grossCents: cents.nullable(),
      startedAt: instant,
    },
  ),
  ServerOrderUnitTaken: fact.prepared("A unit of the plan is reserved in the region."),
  ServerOrderRefused: fact.declined(
    "There is no unit, or the account refused the charge: nothing was charged.",
  ),
  ServerOrderPlaced: fact.prepared("The server's own stream tells of the order."),
  ServerOrderCharged: fact.charged("The account was charged; setting the server up is next."),
  ComputeOrderCompleted: fact.done("The server was set up on a node.", {
    node: text,
    ipAddress: line(64),
    rdns: line(255),
  }),
  ComputeOrderRefused: fact.refused("No server was set up, and certainly none will be."),
  ComputeOutcomeUnknown: fact.unanswered(
    "Nobody here knows whether the server was set up: it is asked about by the order's name.",
  ),
  ComputeInquiryFailed: fact.inquiryFailed("The compute party could not tell either."),
  ComputeOrderNotHeld: fact.notHeld(
    "Nothing is held under the name of an order that was not answered: it is asked about again, since orders come late.",
  ),
  ComputeOrderResumed: fact.resumed(
    "Nothing is held under the order's name: an order that was interrupted before it was sent is sent now.",
  ),
  ServerOrderFailureRecorded: fact.fenced(
    "The server's own stream tells that the order failed, or never told of it: the charge can go back.",
  ),
  ServerOrderNeverCharged: fact.neverCharged,
  ServerOrderChargeReturned: fact.returned,
  ComputeDestructionDue: fact.cancellationDue(
    "A server turned out to exist that nobody wants any longer: it is destroyed.",
  ),
  ComputeServerDestroyed: fact.cancelled("The server was destroyed."),
  ServerOrderParked: fact.suspended,
  ServerOrderUnparked: fact.retried,
  ServerOrderAbandoned: fact.abandoned(
    "Staff ends the run: what was charged is returned, what was reserved is given back.",
  ),
  ServerOrderCompleted: fact.ended({ done: "provisioned", declined: "refused", undone: "failed" }),
});

/** Everything that happens to the run of an order. */
export type ServerOrderEvent = EventOf<typeof serverOrderEvents>;
/** The run began: it will take a unit, charge the account and have the server set up. */
export type ServerOrderStarted = EventOf<typeof serverOrderEvents, "ServerOrderStarted">;
/** The server was set up on a node. */
export type ComputeOrderCompleted = EventOf<typeof serverOrderEvents, "ComputeOrderCompleted">;

/** Reads and names the events of an order's run. */
export const serverOrderCodec = eventCodec(serverOrderEvents);
