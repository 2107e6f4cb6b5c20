import type { ChargeRefusal } from "../charge-refusal.ts";
import type { ServerCharge } from "../server-account-order.ts";

/** The facts of one order's run (stream `serverorder-<operation>`): what it intends, and what came of every step. */

/** The run began: it will take a unit, charge the account and have the server set up. */
export interface ServerOrderStarted {
  readonly type: "ServerOrderStarted";
  readonly data: {
    /** The run's own id; its charge and its unit bear it too. */
    readonly orderId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly planId: number;
    readonly planTitle: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
    readonly regionId: number;
    readonly regionCode: string;
    readonly distroId: number;
    readonly distro: string;
    readonly months: number;
    readonly whitelisted: boolean;
    readonly sshKey: string | null;
    /** Gross price of a month in cents (EUR), from the plan at this moment. */
    readonly monthGrossCents: string;
    /** What is charged in cents (EUR); null for a gift or a migration by staff, which takes no unit either. */
    readonly grossCents: string | null;
    readonly startedAt: string;
  };
}

/** A unit of the plan is reserved in the region. */
export interface ServerOrderUnitTaken {
  readonly type: "ServerOrderUnitTaken";
  readonly data: { readonly at: string };
}

/** There is no unit, or the account refused the charge: nothing was charged. */
export interface ServerOrderRefused {
  readonly type: "ServerOrderRefused";
  readonly data: ChargeRefusal & { readonly at: string };
}

/** The server's own stream tells of the order. */
export interface ServerOrderPlaced {
  readonly type: "ServerOrderPlaced";
  readonly data: { readonly at: string };
}

/** The account was charged; setting the server up is next. */
export interface ServerOrderCharged {
  readonly type: "ServerOrderCharged";
  readonly data: ServerCharge & { readonly at: string };
}

/** The server was set up on a node. */
export interface ComputeOrderCompleted {
  readonly type: "ComputeOrderCompleted";
  readonly data: {
    readonly node: string;
    readonly ipAddress: string;
    readonly rdns: string;
    readonly at: string;
  };
}

/** No server was set up, and certainly none will be. */
export interface ComputeOrderRefused {
  readonly type: "ComputeOrderRefused";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Nobody here knows whether the server was set up: it is asked about by the order's name. */
export interface ComputeOutcomeUnknown {
  readonly type: "ComputeOutcomeUnknown";
  readonly data: {
    /** `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered. */
    readonly cause: "interrupted" | "unanswered";
    readonly reason: string;
    readonly at: string;
  };
}

/** The compute party could not tell either. */
export interface ComputeInquiryFailed {
  readonly type: "ComputeInquiryFailed";
  readonly data: { readonly reason: string; readonly nextInquiryAt: string; readonly at: string };
}

/** Nothing is held under the order's name: an order that was interrupted before it was sent is sent now. */
export interface ComputeOrderResumed {
  readonly type: "ComputeOrderResumed";
  readonly data: { readonly at: string };
}

/** The server's own stream tells that the order failed, or never told of it: the charge can go back. */
export interface ServerOrderFailureRecorded {
  readonly type: "ServerOrderFailureRecorded";
  readonly data: { readonly at: string };
}

/** The account knows of no charge: there is nothing to return. */
export interface ServerOrderNeverCharged {
  readonly type: "ServerOrderNeverCharged";
  readonly data: { readonly at: string };
}

/** The charge was returned. */
export interface ServerOrderChargeReturned {
  readonly type: "ServerOrderChargeReturned";
  readonly data: { readonly correctionId: number; readonly at: string };
}

/** A server turned out to exist that nobody wants any longer: it is destroyed. */
export interface ComputeDestructionDue {
  readonly type: "ComputeDestructionDue";
  readonly data: { readonly nextAttemptAt: string; readonly at: string };
}

/** The server was destroyed. */
export interface ComputeServerDestroyed {
  readonly type: "ComputeServerDestroyed";
  readonly data: { readonly at: string };
}

/** The run waits for staff. */
export interface ServerOrderParked {
  readonly type: "ServerOrderParked";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Staff lets the run try again. */
export interface ServerOrderUnparked {
  readonly type: "ServerOrderUnparked";
  readonly data: { readonly at: string };
}

/** Staff ends the run: what was charged is returned, what was reserved is given back. */
export interface ServerOrderAbandoned {
  readonly type: "ServerOrderAbandoned";
  readonly data: { readonly reason: string; readonly at: string };
}

/** The run has ended. */
export interface ServerOrderCompleted {
  readonly type: "ServerOrderCompleted";
  readonly data: {
    /** `refused`: there was no unit, or the account said no. `failed`: nothing stays charged. */
    readonly outcome: "provisioned" | "refused" | "failed";
    readonly at: string;
  };
}

/** Everything that happens to the run of an order. */
export type ServerOrderEvent =
  | ServerOrderStarted
  | ServerOrderUnitTaken
  | ServerOrderRefused
  | ServerOrderPlaced
  | ServerOrderCharged
  | ComputeOrderCompleted
  | ComputeOrderRefused
  | ComputeOutcomeUnknown
  | ComputeInquiryFailed
  | ComputeOrderResumed
  | ServerOrderFailureRecorded
  | ServerOrderNeverCharged
  | ServerOrderChargeReturned
  | ComputeDestructionDue
  | ComputeServerDestroyed
  | ServerOrderParked
  | ServerOrderUnparked
  | ServerOrderAbandoned
  | ServerOrderCompleted;
