import type { RecordRenewalFailed, RecordRenewed } from "../../domain/domain.commands.ts";
import type { DomainRenewalStarted } from "../../domain/domain.events.ts";
import type { Rejection } from "../../kernel/rejection.ts";
import type { RenewalCharge } from "./renew-domain.state.ts";

/** What reaches a renewal run from outside; `at` is when. */
export type RenewalInput = { readonly at: string } & (
  | { readonly type: "started"; readonly renewal: DomainRenewalStarted["data"] }
  /** The account stands for the charge. */
  | { readonly type: "charged"; readonly charge: RenewalCharge }
  /** The account has returned the charge. */
  | { readonly type: "refunded"; readonly correctionId: number }
  /** The name's stream carried out the command, or had done so before. */
  | { readonly type: "accepted" }
  /** An aggregate refused the command. */
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** The registrar holds the name until then. */
  | { readonly type: "held"; readonly expiresAt: string }
  /** The registrar does not hold the name for us. */
  | { readonly type: "not-held" }
  /** The registrar said no. */
  | { readonly type: "refused"; readonly reason: string }
  /** The registrar was not reached: nothing was sent. */
  | { readonly type: "unreachable"; readonly reason: string }
  /** Nobody here knows what the registrar did. */
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
export type RenewalAccountOrder =
  | {
      readonly type: "ChargeRenewal";
      readonly accountId: number;
      readonly chargeId: string;
      readonly domainId: number;
      readonly name: string;
      readonly years: number;
      readonly yearNetCents: string;
    }
  | {
      readonly type: "RefundCharge";
      readonly accountId: number;
      readonly chargeId: string;
      readonly reason: string;
    };

/** A command to the name's stream; the edge adds the time. */
export type RenewalNameOrder =
  | { readonly type: "RecordRenewed"; readonly data: Omit<RecordRenewed["data"], "at"> }
  | { readonly type: "RecordRenewalFailed"; readonly data: Omit<RecordRenewalFailed["data"], "at"> };

/** A command that a run gives. */
export type RenewalCommand =
  | { readonly to: "account"; readonly order: RenewalAccountOrder }
  | { readonly to: "name"; readonly name: string; readonly order: RenewalNameOrder };

/** A request to the registrar. */
export type RenewalRequest =
  | {
      readonly type: "renew";
      readonly clientTransactionId: string;
      readonly name: string;
      /** The expiry date that is renewed: the registrar renews no other (RFC 5731 §3.2.3). */
      readonly currentExpiresAt: string;
      readonly years: number;
    }
  | { readonly type: "inquire"; readonly name: string };
