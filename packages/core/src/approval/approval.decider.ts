import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import type { ApprovalEvent, ApprovalRequest } from "./approval.events.ts";

/** Asks for a credit. Instants are ISO 8601 UTC with six fractional digits. */
export type RequestApproval = Command<
  "RequestApproval",
  Pick<
    ApprovalRequest,
    | "accountId"
    | "kind"
    | "amountCents"
    | "reference"
    | "reason"
    | "debtAllowed"
    | "requestedBy"
    | "expiresAt"
  >
>;

/** Approves a credit that another person asked for. */
export type GrantApproval = Command<
  "GrantApproval",
  { readonly approvalId: number; readonly grantedBy: string }
>;

/** What can be asked about approvals. */
export type ApprovalCommand = RequestApproval | GrantApproval;

/** A credit that somebody asked for, and who approved it. */
export interface Approval extends ApprovalRequest {
  readonly grantedBy: string | null;
}

/** The last requests, oldest first. */
export interface ApprovalState {
  readonly approvals: readonly Approval[];
  readonly lastId: number;
}

/** Requests that are kept: older ones can neither be approved nor carried out again. */
export const approvalsKept = 1_000;

/** Requests that may wait for a second person at a time. */
export const openApprovalLimit = 200;

/** The rules of confirmations by a second person: nobody approves a wish of his own, and no wish waits for ever. */
export const approval: Decider<ApprovalCommand, ApprovalState, ApprovalEvent> = {
  initialState: { approvals: [], lastId: 0 },
  decide,
  evolve,
};

/** True while a request waits for a second person. */
export function isOpenApproval({ grantedBy, expiresAt }: Approval, at: string): boolean {
  return grantedBy === null && at < expiresAt;
}

/** The request for this credit that waits or was granted; undefined where nobody asked, or too long ago. */
export function approvalOf(
  { approvals }: ApprovalState,
  wish: Pick<ApprovalRequest, "accountId" | "kind" | "amountCents" | "reference" | "reason" | "debtAllowed">,
  at: string,
): Approval | undefined {
  return approvals.findLast(
    (one) =>
      one.accountId === wish.accountId &&
      one.kind === wish.kind &&
      one.reference === wish.reference &&
      one.amountCents === wish.amountCents &&
      // Whoever approved it without a debt has approved none.
      one.debtAllowed === wish.debtAllowed &&
      // Any other reference is one wish for ever; a charge is refunded once more for another reason.
      (one.kind !== "refund" || one.reason === wish.reason) &&
      (one.grantedBy !== null || isOpenApproval(one, at)),
  );
}

function decide(command: ApprovalCommand, state: ApprovalState): Decision<ApprovalEvent> {
  switch (command.type) {
    case "RequestApproval": {
      const { at, ...wish } = command.data;
      if (approvalOf(state, wish, at) !== undefined) return accept();
      const open = state.approvals.filter((one) => isOpenApproval(one, at));
      if (open.length >= openApprovalLimit)
        return reject(
          "validation-failed",
          `${String(openApprovalLimit)} requests wait already: approve those first.`,
        );
      return accept({
        type: "ApprovalRequested",
        data: { approvalId: state.lastId + 1, ...wish, requestedAt: at },
      });
    }
    case "GrantApproval": {
      const { approvalId, grantedBy, at } = command.data;
      const asked = state.approvals.find((one) => one.approvalId === approvalId);
      if (asked === undefined) return reject("not-found", "There is no such request for an approval.");
      // What was approved may be carried out again, where that was interrupted.
      if (asked.grantedBy !== null) return accept();
      if (at >= asked.expiresAt)
        return reject("validation-failed", `The request expired at ${asked.expiresAt}: ask for it again.`);
      if (asked.requestedBy.toLowerCase() === grantedBy.toLowerCase())
        return reject("unauthorized", `${asked.requestedBy} asked for it: another person has to approve it.`);
      return accept({ type: "ApprovalGranted", data: { approvalId, grantedBy, grantedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve({ approvals, lastId }: ApprovalState, event: ApprovalEvent): ApprovalState {
  switch (event.type) {
    case "ApprovalRequested":
      return {
        approvals: [...approvals, { ...event.data, grantedBy: null }].slice(-approvalsKept),
        lastId: event.data.approvalId,
      };
    case "ApprovalGranted": {
      const { approvalId, grantedBy } = event.data;
      if (!approvals.some((one) => one.approvalId === approvalId && one.grantedBy === null))
        throw new CorruptStreamError(event.type, "no such open request");
      return {
        approvals: approvals.map((one) => (one.approvalId === approvalId ? { ...one, grantedBy } : one)),
        lastId,
      };
    }
    default:
      return assertNever(event);
  }
}
