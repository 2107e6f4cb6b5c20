import type { ChargeRefusal } from "../charge-refusal.ts";
import type { ServerCharge } from "../server-account-order.ts";

/** The facts of one renewal's run (stream `serverrenewal-<operation>`): its frozen price, and what came of every step. */

/** The run began, at a price that stands whatever happens to the plan or the server meanwhile. */
export interface ServerRenewalStarted {
  readonly type: "ServerRenewalStarted";
  readonly data: {
    /** The run's own id; its charge bears it too. */
    readonly renewalId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly planId: number;
    readonly planTitle: string;
    readonly months: number;
    /** Gross price of a month in cents (EUR). */
    readonly monthGrossCents: string;
    readonly discountPercent: number;
    readonly surchargePercent: number;
    /** What is charged in cents (EUR). */
    readonly grossCents: string;
    readonly startedAt: string;
  };
}

/** The account was charged; the server's own stream is told next. */
export interface ServerRenewalCharged {
  readonly type: "ServerRenewalCharged";
  readonly data: ServerCharge & { readonly at: string };
}

/** The account refused the charge. */
export interface ServerRenewalChargeRefused {
  readonly type: "ServerRenewalChargeRefused";
  readonly data: ChargeRefusal & { readonly at: string };
}

/** The server's own stream tells of the renewal, with the charge that paid for it. */
export interface ServerRenewalRecorded {
  readonly type: "ServerRenewalRecorded";
  readonly data: ServerCharge & {
    readonly wasSuspended: boolean;
    readonly expiresAt: string;
    readonly at: string;
  };
}

/** The server's own stream tells of no such renewal and will not: the charge goes back. */
export interface ServerRenewalNotRecorded {
  readonly type: "ServerRenewalNotRecorded";
  readonly data: {
    /** The server's refusal, a code of the catalogue; null where staff ended the run. */
    readonly code: string | null;
    readonly message: string;
    readonly at: string;
  };
}

/** The account knows of no charge: there is nothing to return. */
export interface ServerRenewalNeverCharged {
  readonly type: "ServerRenewalNeverCharged";
  readonly data: { readonly at: string };
}

/** The charge was returned. */
export interface ServerRenewalChargeReturned {
  readonly type: "ServerRenewalChargeReturned";
  readonly data: { readonly correctionId: number; readonly at: string };
}

/** The compute party did not start the suspended server again; it is asked again. */
export interface ServerResumptionFailed {
  readonly type: "ServerResumptionFailed";
  readonly data: { readonly reason: string; readonly nextAttemptAt: string; readonly at: string };
}

/** The run waits for staff. */
export interface ServerRenewalParked {
  readonly type: "ServerRenewalParked";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Staff lets the run try again. */
export interface ServerRenewalUnparked {
  readonly type: "ServerRenewalUnparked";
  readonly data: { readonly at: string };
}

/** Staff ends the run: a renewal that was recorded stays, and what was charged for none is returned. */
export interface ServerRenewalAbandoned {
  readonly type: "ServerRenewalAbandoned";
  readonly data: { readonly reason: string; readonly at: string };
}

/** The run has ended. */
export interface ServerRenewalCompleted {
  readonly type: "ServerRenewalCompleted";
  readonly data: {
    /** `refused`: the account said no. `refunded`: nothing stays charged. */
    readonly outcome: "renewed" | "refused" | "refunded";
    readonly at: string;
  };
}

/** Everything that happens to the run of a renewal. */
export type ServerRenewalEvent =
  | ServerRenewalStarted
  | ServerRenewalCharged
  | ServerRenewalChargeRefused
  | ServerRenewalRecorded
  | ServerRenewalNotRecorded
  | ServerRenewalNeverCharged
  | ServerRenewalChargeReturned
  | ServerResumptionFailed
  | ServerRenewalParked
  | ServerRenewalUnparked
  | ServerRenewalAbandoned
  | ServerRenewalCompleted;
