import type { ChargeRefusal } from "../charge-refusal.ts";
import type { ServerCharge } from "../server-account-order.ts";
import type { ServerRenewalRecorded, ServerRenewalStarted } from "./renew-server.events.ts";

/** What the renewal is about and what it costs, as its first fact tells. */
export type ServerRenewal = ServerRenewalStarted["data"];

/** The renewal as the server's stream has it. */
export type ServerRenewalOutcome = Omit<ServerRenewalRecorded["data"], "at">;

/** Why a renewal ended without one. */
export type ServerRenewalFailure =
  /** The account said no: nothing was charged. */
  | { readonly kind: "charge-refused"; readonly refusal: ChargeRefusal }
  /** The server said no: what was charged is returned. */
  | { readonly kind: "not-renewable"; readonly code: string; readonly message: string }
  /** Staff ended it: what was charged is returned. */
  | { readonly kind: "abandoned"; readonly message: string };

/** A step of a run that is not waiting for staff. */
export type ActiveServerRenewal =
  | { readonly status: "new" }
  | { readonly status: "charging"; readonly renewal: ServerRenewal }
  | { readonly status: "recording"; readonly renewal: ServerRenewal; readonly charge: ServerCharge }
  /** Staff ends the run: the server's stream has the last word on whether it was renewed. */
  | {
      readonly status: "withdrawing";
      readonly renewal: ServerRenewal;
      /** Undefined while nobody here knows whether the account was charged. */
      readonly charge: ServerCharge | undefined;
      readonly reason: string;
    }
  /**
   * What was charged goes back. A charge that was refused is looked for, too: the customer is told of the refusal when it
   * is stored, never before, and nobody who takes the run over can charge the account after that.
   */
  | {
      readonly status: "refunding";
      readonly renewal: ServerRenewal;
      readonly charge: ServerCharge | undefined;
      readonly failure: ServerRenewalFailure;
    }
  /** The server is renewed, and was suspended: the compute party is asked to start it again. */
  | {
      readonly status: "resuming";
      readonly renewal: ServerRenewal;
      readonly outcome: ServerRenewalOutcome;
      readonly attempts: number;
      readonly notBefore: string | undefined;
    };

/** A run that waits for staff, and the step it would try again. */
export interface ParkedServerRenewal {
  readonly status: "parked";
  readonly renewal: ServerRenewal;
  readonly reason: string;
  readonly step: Exclude<ActiveServerRenewal, { status: "new" }>;
}

/** The end of a run, with what it answers; `ending` is the moment before its last fact, and never stored alone. */
export interface EndedServerRenewal {
  readonly status: "ending" | "completed";
  readonly renewal: ServerRenewal;
  readonly answer: EndedServerRenewalAnswer;
}

/** The run of a renewal. */
export type ServerRenewalState = ActiveServerRenewal | ParkedServerRenewal | EndedServerRenewal;

/** What the customer is told of a run that has ended. */
export type EndedServerRenewalAnswer =
  ({ readonly kind: "renewed" } & ServerRenewalOutcome) | ServerRenewalFailure;

/** What the customer is told; `unsettled`: nothing is certain yet, and staff looks after the run. */
export type ServerRenewalAnswer =
  EndedServerRenewalAnswer | { readonly kind: "unsettled"; readonly message: string };

/** The answer to the customer as soon as it is certain: a server that is started again is renewed already. */
export function serverRenewalAnswer(state: ServerRenewalState): ServerRenewalAnswer | undefined {
  switch (state.status) {
    case "completed":
    case "ending":
      return state.answer;
    case "resuming":
      return { kind: "renewed", ...state.outcome };
    case "parked":
      return state.step.status === "resuming"
        ? { kind: "renewed", ...state.step.outcome }
        : { kind: "unsettled", message: state.reason };
    default:
      return undefined;
  }
}
