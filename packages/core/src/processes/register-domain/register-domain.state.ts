import type { ReleaseReason } from "../../domain/domain.events.ts";
import type {
  RegistrarOrderCompleted,
  RegistrationChargeRefused,
  RegistrationCharged,
  RegistrationStarted,
} from "./register-domain.events.ts";

/** What the registration is about, as its first fact tells. */
export type Registration = RegistrationStarted["data"];

/** The charge, as the account answered it. */
export type RegistrationCharge = Omit<RegistrationCharged["data"], "at">;

/** What the registrar registered. */
export type RegistrarRegistration = Omit<RegistrarOrderCompleted["data"], "at">;

/** Why a run gave the name back, with the account's refusal where it was that. */
export type Failure =
  | { readonly kind: "charge-refused"; readonly refusal: RegistrationChargeRefused["data"] }
  | { readonly kind: "registrar-failed"; readonly reason: string };

/** A step that another party has not answered: how often it was tried, and when it is tried next. */
export interface Attempts {
  readonly attempts: number;
  readonly notBefore: string | undefined;
}

/** Steps before anything is charged. */
type Beginning =
  { readonly status: "new" } | { readonly status: "charging"; readonly registration: Registration };

/** Steps with the charge standing. */
type Ordering = { readonly registration: Registration; readonly charge: RegistrationCharge } & (
  | { readonly status: "ordering" }
  | ({ readonly status: "inquiring"; readonly cause: "interrupted" | "unanswered" } & Attempts)
  | { readonly status: "confirming"; readonly order: RegistrarRegistration }
  /** The name is held before the money goes back: its stream has the last word on whether it was registered. */
  | { readonly status: "holding"; readonly failure: Failure }
);

/** The charge is on its way back. */
interface Refunding {
  readonly status: "refunding";
  readonly registration: Registration;
  /** Undefined while nobody here knows whether the account was charged. */
  readonly charge: RegistrationCharge | undefined;
  readonly failure: Failure;
  readonly then: ReleaseReason | "settle";
}

/** Steps after the charge was refused or returned. */
type Undoing = { readonly registration: Registration; readonly failure: Failure } & (
  | { readonly status: "releasing"; readonly reason: ReleaseReason }
  | ({ readonly status: "settling" } & Attempts)
  | ({ readonly status: "cancelling" } & Attempts)
);

/**
 * The domain is the account's: the run is over, and what the domain lacks is the delivery's. Runs that were stopped while
 * delivery was part of them are here until they have said so.
 */
interface Delivering {
  readonly status: "delivering";
  readonly registration: Registration;
  readonly charge: RegistrationCharge;
}

/** A step of a run that is not waiting for staff. */
export type ActiveState = Beginning | Ordering | Refunding | Undoing | Delivering;

/** The end of a run, with what it answers. */
export interface CompletedState {
  readonly status: "completed";
  readonly registration: Registration;
  readonly answer: RegistrationAnswer;
}

/** A run that waits for staff, and the step it would try again. */
export interface ParkedState {
  readonly status: "parked";
  readonly registration: Registration;
  readonly reason: string;
  readonly step: Exclude<ActiveState, { status: "new" }>;
}

/** A registration run. */
export type RegistrationState = ActiveState | ParkedState | CompletedState;

/** What the customer is told. */
export type RegistrationAnswer =
  | { readonly kind: "registered"; readonly charge: RegistrationCharge }
  | { readonly kind: "charge-refused"; readonly refusal: RegistrationChargeRefused["data"] }
  | { readonly kind: "registrar-failed"; readonly reason: string }
  | { readonly kind: "unsettled"; readonly reason: string };

/** The answer to the customer as soon as it is certain: the run may go on after it (a registrar is asked until it answers). */
export function registrationAnswer(state: RegistrationState): RegistrationAnswer | undefined {
  switch (state.status) {
    case "completed":
      return state.answer;
    case "settling":
    case "cancelling":
      return failureAnswer(state.failure);
    case "delivering":
      return { kind: "registered", charge: state.charge };
    case "parked":
      return parkedAnswer(state);
    default:
      return undefined;
  }
}

/** A run that waits for staff is certain where the domain is the account's, or where the account has its money. */
function parkedAnswer({ step, reason }: ParkedState): RegistrationAnswer {
  if (step.status === "delivering") return { kind: "registered", charge: step.charge };
  const isUndone = step.status === "releasing" || step.status === "settling" || step.status === "cancelling";
  return isUndone ? failureAnswer(step.failure) : { kind: "unsettled", reason };
}

/** What a run that failed answers. */
export function failureAnswer(failure: Failure): RegistrationAnswer {
  return failure.kind === "charge-refused"
    ? { kind: "charge-refused", refusal: failure.refusal }
    : { kind: "registrar-failed", reason: failure.reason };
}
