import type { ChargeRefusal } from "../charge-refusal.ts";
import type { ServerCharge } from "../server-account-order.ts";
import type { ComputeOrderCompleted, ServerOrderStarted } from "./order-server.events.ts";

/** What the order is about, as its first fact tells. */
export type ServerOrder = ServerOrderStarted["data"];

/** Where the server runs. */
export type ServerPlace = Omit<ComputeOrderCompleted["data"], "at">;

/** Why an order ends without a server. */
export type ServerOrderFailure =
  /** Nothing was charged: there was no unit, or the account said no. */
  | { readonly kind: "refused"; readonly refusal: ChargeRefusal }
  | { readonly kind: "compute-failed"; readonly reason: string };

/** A step that another party has not answered: how often it was tried, and when it is tried next. */
export interface ComputeAttempts {
  readonly attempts: number;
  readonly notBefore: string | undefined;
}

/** Steps before anything is charged. */
type Beginning =
  | { readonly status: "new" }
  | { readonly status: "reserving" | "placing" | "charging"; readonly order: ServerOrder };

/** Steps towards the server. The charge is null where there is none: a gift. */
type Providing = { readonly order: ServerOrder; readonly charge: ServerCharge | null } & (
  | { readonly status: "provisioning" }
  | ({ readonly status: "inquiring"; readonly cause: "interrupted" | "unanswered" } & ComputeAttempts)
  | { readonly status: "recording"; readonly place: ServerPlace }
);

/** Steps that undo, the server's own stream first: it has the last word on whether the order was carried out. */
type Failing = {
  readonly order: ServerOrder;
  /** Null where there is none, or where nobody here knows of one. */
  readonly charge: ServerCharge | null;
  readonly failure: ServerOrderFailure;
  /** `settle`: a server may exist that nobody here knows of; the unit goes back when it certainly does not. */
  readonly then: "return" | "settle";
} & { readonly status: "failing" | "refunding" };

/** Steps after the charge was refused or returned. */
type Undoing = { readonly order: ServerOrder; readonly failure: ServerOrderFailure } & (
  ({ readonly status: "settling" | "destroying" } & ComputeAttempts) | { readonly status: "returning" }
);

/** A step of a run that is not waiting for staff. */
export type ActiveServerOrder = Beginning | Providing | Failing | Undoing;

/** A run that waits for staff, and the step it would try again. */
export interface ParkedServerOrder {
  readonly status: "parked";
  readonly order: ServerOrder;
  readonly reason: string;
  readonly step: Exclude<ActiveServerOrder, { status: "new" }>;
}

/** The end of a run, with what it answers. */
export interface CompletedServerOrder {
  readonly status: "completed";
  readonly order: ServerOrder;
  readonly answer: ServerOrderAnswer;
}

/** The run of an order. */
export type ServerOrderState = ActiveServerOrder | ParkedServerOrder | CompletedServerOrder;

/** What the customer is told. When the server expires is told by its own stream. */
export type ServerOrderAnswer =
  | {
      readonly kind: "provisioned";
      readonly serverId: number;
      readonly months: number;
      /** Null for a gift. */
      readonly charge: ServerCharge | null;
    }
  | ServerOrderFailure
  /** Nothing is certain yet: staff looks after the run. */
  | { readonly kind: "unsettled"; readonly reason: string };

/**
 * The answer to the customer as soon as it is certain: the run may go on after it (a server that is asked about until it
 * is certain that there is none).
 */
export function serverOrderAnswer(state: ServerOrderState): ServerOrderAnswer | undefined {
  switch (state.status) {
    case "completed":
      return state.answer;
    case "settling":
    case "destroying":
      return state.failure;
    case "parked": {
      const { step, reason } = state;
      const isUndone =
        step.status === "settling" || step.status === "destroying" || step.status === "returning";
      return isUndone ? step.failure : { kind: "unsettled", reason };
    }
    default:
      return undefined;
  }
}
