import type { Rejection } from "../../kernel/rejection.ts";
import type { RecordServerRenewed } from "../../server/server.commands.ts";
import type { ServerAccountOrder, ServerCharge } from "../server-account-order.ts";
import type { ServerRenewal, ServerRenewalOutcome } from "./renew-server.state.ts";

/** What reaches the run of a renewal from outside; `at` is when. */
export type ServerRenewalInput = { readonly at: string } & (
  | { readonly type: "requested"; readonly renewal: Omit<ServerRenewal, "startedAt"> }
  /** The account stands for the charge. */
  | { readonly type: "charged"; readonly charge: ServerCharge }
  /** The account has returned the charge. */
  | { readonly type: "refunded"; readonly correctionId: number }
  /** The server's stream has the renewal: this is how it stands there (`ProvisionedServer.renewals`). */
  | { readonly type: "renewed"; readonly outcome: ServerRenewalOutcome }
  /** The server's stream does not have the renewal: the answer to `FindRenewal`. */
  | { readonly type: "not-renewed" }
  /** An aggregate refused the command. */
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** The compute party carried out the request. */
  | { readonly type: "done" }
  /** The compute party certainly did not carry out the request. */
  | { readonly type: "refused"; readonly reason: string }
  /** Nobody here knows what the compute party did. */
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

/** What is asked of the server's stream; the edge adds the time. */
export type RenewalStreamOrder =
  /** Answers: renewed (from the state after the command), rejected. */
  | { readonly type: "RecordServerRenewed"; readonly data: Omit<RecordServerRenewed["data"], "at"> }
  /** Read the server's state. Answers: renewed, not-renewed. */
  | { readonly type: "FindRenewal"; readonly data: { readonly renewalId: string } };

/** A command that a run gives. */
export type ServerRenewalCommand =
  /** Answers: charged, refunded, rejected. */
  | { readonly to: "account"; readonly order: ServerAccountOrder }
  | { readonly to: "server"; readonly serverId: number; readonly order: RenewalStreamOrder };

/**
 * Start the suspended server again. The edge looks at the server first: one that was suspended again meanwhile stays so,
 * and the answer is `done`. Answers: done, refused, unknown.
 */
export interface ServerRenewalRequest {
  readonly type: "resume";
  readonly serverId: number;
}
