import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, flag, id, instant, line, text } from "../kernel/fields.ts";
import { chargeFields, refusalFields } from "./charge-fields.ts";

/** The facts of one order's run (stream `serverorder-<operation>`): what it intends, and what came of every step. */
export const serverOrderEvents = defineEvents({
  ServerOrderStarted: event(
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
  ServerOrderUnitTaken: event("A unit of the plan is reserved in the region.", { at: instant }),
  ServerOrderRefused: event("There is no unit, or the account refused the charge: nothing was charged.", {
    ...refusalFields,
    at: instant,
  }),
  ServerOrderPlaced: event("The server's own stream tells of the order.", { at: instant }),
  ServerOrderCharged: event("The account was charged; setting the server up is next.", {
    ...chargeFields,
    at: instant,
  }),
  ComputeOrderCompleted: event("The server was set up on a node.", {
    node: text,
    ipAddress: line(64),
    rdns: line(255),
    at: instant,
  }),
  ComputeOrderRefused: event("No server was set up, and certainly none will be.", {
    reason: text,
    at: instant,
  }),
  ComputeOutcomeUnknown: event(
    "Nobody here knows whether the server was set up: it is asked about by the order's name.",
    {
      /** `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered. */
      cause: z.enum(["interrupted", "unanswered"]),
      reason: text,
      at: instant,
    },
  ),
  ComputeInquiryFailed: event("The compute party could not tell either.", {
    reason: text,
    nextInquiryAt: instant,
    at: instant,
  }),
  ComputeOrderNotHeld: event(
    "Nothing is held under the name of an order that was not answered: it is asked about again, since orders come late.",
    { askAgainAt: instant, at: instant },
  ),
  ComputeOrderResumed: event(
    "Nothing is held under the order's name: an order that was interrupted before it was sent is sent now.",
    { at: instant },
  ),
  ServerOrderFailureRecorded: event(
    "The server's own stream tells that the order failed, or never told of it: the charge can go back.",
    { at: instant },
  ),
  ServerOrderNeverCharged: event("The account knows of no charge: there is nothing to return.", {
    at: instant,
  }),
  ServerOrderChargeReturned: event("The charge was returned.", { correctionId: id, at: instant }),
  ComputeDestructionDue: event(
    "A server turned out to exist that nobody wants any longer: it is destroyed.",
    { nextAttemptAt: instant, at: instant },
  ),
  ComputeServerDestroyed: event("The server was destroyed.", { at: instant }),
  ServerOrderParked: event("The run waits for staff.", { reason: text, at: instant }),
  ServerOrderUnparked: event("Staff lets the run try again.", { at: instant }),
  ServerOrderAbandoned: event(
    "Staff ends the run: what was charged is returned, what was reserved is given back.",
    { reason: text, at: instant },
  ),
  ServerOrderCompleted: event("The run has ended.", {
    /** `refused`: there was no unit, or the account said no. `failed`: nothing stays charged. */
    outcome: z.enum(["provisioned", "refused", "failed"]),
    at: instant,
  }),
});

/** Everything that happens to the run of an order. */
export type ServerOrderEvent = EventOf<typeof serverOrderEvents>;
/** The run began: it will take a unit, charge the account and have the server set up. */
export type ServerOrderStarted = EventOf<typeof serverOrderEvents, "ServerOrderStarted">;
/** The server was set up on a node. */
export type ComputeOrderCompleted = EventOf<typeof serverOrderEvents, "ComputeOrderCompleted">;

/** Reads and names the events of an order's run. */
export const serverOrderCodec = eventCodec(serverOrderEvents);
