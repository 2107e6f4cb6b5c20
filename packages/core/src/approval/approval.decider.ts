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
    | "iban"
  >
>;

export type GrantApproval = Command<
  "GrantApproval",
  { readonly approvalId: number; readonly grantedBy: string }
>;

export type ApprovalCommand = RequestApproval | GrantApproval;

/** A request to move money; `grantedBy` is null until another person approves it. */
export interface Approval extends ApprovalRequest {
  readonly grantedBy: string | null;
}

/** The latest requests, oldest first. */
export interface ApprovalState {
  readonly approvals: readonly Approval[];
  readonly lastId: number;
}

/** Maximum requests in the state; older requests can no longer be approved or carried out. */
export const approvalsKept = 1_000;

export const openApprovalLimit = 200;

/** Rules of approvals by a second person: nobody approves a request of their own, and every request expires. */
export const approval: Decider<ApprovalCommand, ApprovalState, ApprovalEvent> = {
  initialState: { approvals: [], lastId: 0 },
  decide,
  evolve,
};

/** Returns true while a request waits for a second person. */
export function isOpenApproval({ grantedBy, expiresAt }: Approval, at: string): boolean {
  return grantedBy === null && at < expiresAt;
}

/** Returns the open or granted request with the same content; undefined if there is none. */
export function approvalOf(
  { approvals }: ApprovalState,
  requested: Pick<
    ApprovalRequest,
    "accountId" | "kind" | "amountCents" | "reference" | "reason" | "debtAllowed" | "iban"
  >,
  at: string,
): Approval | undefined {
  return approvals.findLast(
    (one) =>
      one.accountId === requested.accountId &&
      one.kind === requested.kind &&
      one.reference === requested.reference &&
      one.amountCents === requested.amountCents &&
      // An approval without debt does not allow debt.
      one.debtAllowed === requested.debtAllowed &&
      // A refund may be requested again for another reason; other references allow one request.
      (!oncePerReason.has(one.kind) || one.reason === requested.reason) &&
      one.iban === requested.iban &&
      (one.grantedBy !== null || isOpenApproval(one, at)),
  );
}

/** Kinds that may be requested again for another reason. */
const oncePerReason: ReadonlySet<string> = new Set(["refund", "payment-refund", "payout"]);

function decide(command: ApprovalCommand, state: ApprovalState): Decision<ApprovalEvent> {
  switch (command.type) {
    case "RequestApproval": {
      const { at, ...requested } = command.data;
      if (approvalOf(state, requested, at) !== undefined) return accept();
      const open = state.approvals.filter((one) => isOpenApproval(one, at));
      if (open.length >= openApprovalLimit)
        return reject(
          "validation-failed",
          `${String(openApprovalLimit)} requests wait already: approve those first.`,
        );
      return accept({
        type: "ApprovalRequested",
        data: { approvalId: state.lastId + 1, ...requested, requestedAt: at },
      });
    }
    case "GrantApproval": {
      const { approvalId, grantedBy, at } = command.data;
      const asked = state.approvals.find((one) => one.approvalId === approvalId);
      if (asked === undefined) return reject("not-found", "There is no such request for an approval.");
      // Approving again succeeds, so that an interrupted request can be carried out.
      if (asked.grantedBy !== null) return accept();
      if (at >= asked.expiresAt)
        return reject("validation-failed", `The request expired at ${asked.expiresAt}: ask for it again.`);
      if (asked.requestedBy.toLowerCase() === grantedBy.toLowerCase())
        return reject(
          "unauthorized",
          `${asked.requestedBy} made the request: another person must approve it.`,
        );
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
