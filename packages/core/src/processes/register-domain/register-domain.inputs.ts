import type { HoldRegistration, RegisterDomain, ReleaseRegistration } from "../../domain/domain.commands.ts";
import type { RegistrationReserved } from "../../domain/domain.events.ts";
import type { Rejection } from "../../kernel/rejection.ts";
import type { RegistrarRegistration, RegistrationCharge } from "./register-domain.state.ts";

/** What reaches a registration run from outside; `at` is when. */
export type RegistrationInput = { readonly at: string } & (
  | { readonly type: "reserved"; readonly reservation: RegistrationReserved["data"] }
  /** The account stands for the charge. */
  | { readonly type: "charged"; readonly charge: RegistrationCharge }
  /** The account has returned the charge. */
  | { readonly type: "refunded"; readonly correctionId: number }
  /** An aggregate carried out the command, or had done so before. */
  | { readonly type: "accepted" }
  /** An aggregate refused the command. */
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** A party carried out the request. */
  | { readonly type: "done" }
  /** The registrar holds the name for this run's order. */
  | { readonly type: "held"; readonly order: RegistrarRegistration }
  /** The registrar does not hold the name for this run's order. */
  | { readonly type: "not-held" }
  /** A party certainly did not carry out the request. */
  | { readonly type: "refused"; readonly reason: string }
  /** Nobody here knows what a party did. */
  | { readonly type: "unknown"; readonly reason: string }
  /** Another process took the run over: what was under way may have happened or not. */
  | { readonly type: "resumed" }
  /** The step failed again and again for a technical reason. */
  | { readonly type: "failed"; readonly reason: string }
  /** Staff lets a parked run try again. */
  | { readonly type: "retried" }
  /** Staff ends a parked run. */
  | { readonly type: "abandoned"; readonly reason: string }
);

/** A command to the account's service. */
export type AccountOrder =
  | {
      readonly type: "ChargeRegistration";
      readonly accountId: number;
      readonly chargeId: string;
      readonly domainId: number;
      readonly name: string;
      readonly years: number;
      readonly yearNetCents: string;
    }
  | {
      readonly type: "RefundRegistration";
      readonly accountId: number;
      readonly chargeId: string;
      readonly reason: string;
    };

type WithoutTime<Command> = Command extends { readonly type: infer Type; readonly data: infer Data }
  ? { readonly type: Type; readonly data: Omit<Data, "at"> }
  : never;

/** A command to the name's stream; the edge adds the time. */
export type NameOrder = RegisterDomain | WithoutTime<ReleaseRegistration> | WithoutTime<HoldRegistration>;

/** A command that a run gives. */
export type RegistrationCommand =
  | { readonly to: "account"; readonly order: AccountOrder }
  | { readonly to: "name"; readonly name: string; readonly order: NameOrder };

/** A request to another party. */
export type RegistrationRequest =
  | {
      readonly type: "register";
      readonly clientTransactionId: string;
      readonly name: string;
      readonly years: number;
    }
  | { readonly type: "inquire"; readonly clientTransactionId: string; readonly name: string }
  | { readonly type: "cancel"; readonly name: string };
