import type { RegistrationReserved } from "../../domain/domain.events.ts";

/** The facts of one registration run (stream `registration-<id>`): what it intends, and what came of every step. */

/** The run began: it will charge the account, order the name and set up its delivery. */
export interface RegistrationStarted {
  readonly type: "RegistrationStarted";
  readonly data: Omit<RegistrationReserved["data"], "reservedAt"> & { readonly startedAt: string };
}

/** The account was charged; the order to the registrar is next. */
export interface RegistrationCharged {
  readonly type: "RegistrationCharged";
  readonly data: {
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    readonly at: string;
  };
}

/** The account refused the charge. Amounts in cents (EUR) where the balance was too low. */
export interface RegistrationChargeRefused {
  readonly type: "RegistrationChargeRefused";
  readonly data: {
    readonly code: string;
    readonly message: string;
    readonly requiredCents: string | null;
    readonly availableCents: string | null;
    readonly at: string;
  };
}

/** The registrar carried out the order. */
export interface RegistrarOrderCompleted {
  readonly type: "RegistrarOrderCompleted";
  readonly data: {
    readonly provider: string;
    readonly registeredAt: string;
    readonly expiresAt: string;
    readonly nameservers: readonly string[];
    readonly whoisPrivacy: boolean;
    readonly transferLock: boolean;
    readonly at: string;
  };
}

/** The registrar certainly did not and will not carry out the order. */
export interface RegistrarOrderRefused {
  readonly type: "RegistrarOrderRefused";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Nobody here knows what came of the order: the registrar is asked. */
export interface RegistrarOutcomeUnknown {
  readonly type: "RegistrarOutcomeUnknown";
  readonly data: {
    /** `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered. */
    readonly cause: "interrupted" | "unanswered";
    readonly reason: string;
    readonly at: string;
  };
}

/** The registrar could not tell either. */
export interface RegistrarInquiryFailed {
  readonly type: "RegistrarInquiryFailed";
  readonly data: { readonly reason: string; readonly nextInquiryAt: string; readonly at: string };
}

/** The registrar says it holds nothing: an order that was interrupted before it was sent is sent now. */
export interface RegistrarOrderResumed {
  readonly type: "RegistrarOrderResumed";
  readonly data: { readonly at: string };
}

/** The account knows of no charge: there is nothing to return. */
export interface RegistrationNeverCharged {
  readonly type: "RegistrationNeverCharged";
  readonly data: { readonly at: string };
}

/** The charge was returned. */
export interface RegistrationChargeReturned {
  readonly type: "RegistrationChargeReturned";
  readonly data: { readonly correctionId: number; readonly at: string };
}

/** The name is held: the customer gets the money back, and the registrar is asked until it answers. */
export interface RegistrationLeftUnsettled {
  readonly type: "RegistrationLeftUnsettled";
  readonly data: { readonly at: string };
}

/** The registrar turned out to have carried out an order that is no longer wanted: it is cancelled there. */
export interface RegistrarCancellationDue {
  readonly type: "RegistrarCancellationDue";
  readonly data: { readonly nextAttemptAt: string; readonly at: string };
}

/** The registrar cancelled the order. */
export interface RegistrarOrderCancelled {
  readonly type: "RegistrarOrderCancelled";
  readonly data: { readonly at: string };
}

/** The domain is the account's. */
export interface RegistrationConfirmed {
  readonly type: "RegistrationConfirmed";
  readonly data: { readonly at: string };
}

/** The registrar did not answer about the customer's nameservers; it is asked again. */
export interface DelegationUnanswered {
  readonly type: "DelegationUnanswered";
  readonly data: { readonly reason: string; readonly nextAttemptAt: string; readonly at: string };
}

/** The registrar delegates to the customer's nameservers. */
export interface DelegationCompleted {
  readonly type: "DelegationCompleted";
  readonly data: { readonly at: string };
}

/** The registrar does not delegate to the customer's nameservers; the service's stay, and its zone is needed. */
export interface DelegationRefused {
  readonly type: "DelegationRefused";
  readonly data: { readonly reason: string; readonly at: string };
}

/** The domain's own stream tells that the customer's nameservers were refused. */
export interface DelegationRefusalRecorded {
  readonly type: "DelegationRefusalRecorded";
  readonly data: { readonly at: string };
}

/** The DNS server has the zone. */
export interface ZoneDelivered {
  readonly type: "ZoneDelivered";
  readonly data: { readonly at: string };
}

/** The DNS server did not take the zone; it is tried again. */
export interface ZoneAttemptFailed {
  readonly type: "ZoneAttemptFailed";
  readonly data: { readonly reason: string; readonly nextAttemptAt: string; readonly at: string };
}

/** The domain's own stream tells that the zone is missing. */
export interface ZoneFailureRecorded {
  readonly type: "ZoneFailureRecorded";
  readonly data: { readonly at: string };
}

/** The run waits for staff. */
export interface RegistrationParked {
  readonly type: "RegistrationParked";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Staff lets the run try again. */
export interface RegistrationUnparked {
  readonly type: "RegistrationUnparked";
  readonly data: { readonly at: string };
}

/** Staff ends the run: what was charged is returned, what was reserved is released. */
export interface RegistrationAbandoned {
  readonly type: "RegistrationAbandoned";
  readonly data: { readonly reason: string; readonly at: string };
}

/** The run has ended. */
export interface RegistrationCompleted {
  readonly type: "RegistrationCompleted";
  readonly data: { readonly outcome: "delivered" | "refused" | "refunded"; readonly at: string };
}

/** Everything that happens in a registration run. */
export type RegistrationEvent =
  | RegistrationStarted
  | RegistrationCharged
  | RegistrationChargeRefused
  | RegistrarOrderCompleted
  | RegistrarOrderRefused
  | RegistrarOutcomeUnknown
  | RegistrarInquiryFailed
  | RegistrarOrderResumed
  | RegistrationNeverCharged
  | RegistrationChargeReturned
  | RegistrationLeftUnsettled
  | RegistrarCancellationDue
  | RegistrarOrderCancelled
  | RegistrationConfirmed
  | DelegationUnanswered
  | DelegationCompleted
  | DelegationRefused
  | DelegationRefusalRecorded
  | ZoneDelivered
  | ZoneAttemptFailed
  | ZoneFailureRecorded
  | RegistrationParked
  | RegistrationUnparked
  | RegistrationAbandoned
  | RegistrationCompleted;
