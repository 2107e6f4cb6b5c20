import {
  accountAggregate,
  accountCodec,
  approvalAggregate,
  approvalOf,
  isOpenApproval,
  rejection,
  type AccountEvent,
  type Approval,
  type ApprovalCommand,
  type ApprovalState,
} from "@hostledger/core";
import { decodeEvent } from "@hostledger/store";
import {
  actorOf,
  rejectionError,
  requireAccepted,
  type StaffCaller,
  type WithContextValues,
} from "@hostledger/rpc";

import { commandContext } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type ApprovalDependencies = Pick<
  AccountDependencies,
  "commands" | "store" | "clock" | "ids" | "approvalCents"
>;

/** A posting that a member of staff requests. */
export interface MoneyRequest {
  readonly accountId: number;
  readonly kind: Approval["kind"];
  /** Cents (EUR), above zero for every kind. */
  readonly amountCents: bigint;
  /** Reference of the payment or adjustment. */
  readonly reference: string;
  /** Reason of an adjustment; empty for a top-up. */
  readonly reason: string;
  /** True if the balance may fall below zero. */
  readonly debtAllowed: boolean;
  /** Bank account of a payout. Default: none. */
  readonly iban?: string;
}

const streamId = "all";

/** Milliseconds for which a request awaits a second person: a week. */
const openForMs = 7 * 86_400_000;

/** Milliseconds over which one person's postings to an account are added: a day. */
const countedMs = 86_400_000;

/**
 * Permits a posting within the person's limit, or one that a second person approved; otherwise records a request
 * once. The person's postings to the account within a day count together.
 * @param isAlwaysNeeded true if every amount needs a second person
 * @throws ConnectError `approval-required` with the request's number.
 */
export async function requireApproval(
  dependencies: ApprovalDependencies,
  staff: StaffCaller,
  requested: MoneyRequest,
  context: WithContextValues,
  isAlwaysNeeded = false,
): Promise<void> {
  const { approvalCents, clock } = dependencies;
  if (staff.isProcess === true || (approvalCents === 0n && !isAlwaysNeeded)) return;
  if (
    !isAlwaysNeeded &&
    (await postedBy(dependencies, staff, requested.accountId)) + requested.amountCents <= approvalCents
  )
    return;
  const asked = { iban: "", ...requested, amountCents: String(requested.amountCents) };
  const at = clock.now();
  const expiresAt = new Date(clock.epochMilliseconds() + openForMs).toISOString().replace("Z", "000Z");
  const data = { ...asked, requestedBy: staff.name, expiresAt, at };
  const state = await command(dependencies, { type: "RequestApproval", data }, context);
  const approval = approvalOf(state, asked, at);
  if (approval === undefined) throw new Error("the request for an approval was accepted but is not there");
  if (approval.grantedBy !== null) return;
  throw rejectionError(
    rejection(
      "approval-required",
      `Another person must approve this until ${approval.expiresAt}: hostledger admin approvals approve ${String(approval.approvalId)}`,
    ),
  );
}

/** Returns the absolute cents that the person posted to the account within a day without another person's approval. */
async function postedBy(
  { commands, store, clock }: Pick<ApprovalDependencies, "commands" | "store" | "clock">,
  staff: StaffCaller,
  accountId: number,
): Promise<bigint> {
  const { state } = await commands.load(approvalAggregate, streamId);
  const granted = state.approvals.filter((one) => one.accountId === accountId && one.grantedBy !== null);
  const since = new Date(clock.epochMilliseconds() - countedMs).toISOString();
  const stream = `${accountAggregate.category}-${String(accountId)}`;
  let cents = 0n;
  for await (const event of store.read(stream, { direction: "backwards" })) {
    const decoded = decodeEvent(accountCodec, event);
    const posting = decoded && postingOf(decoded.event);
    if (posting === undefined) continue;
    if (posting.at < since) break;
    const isApproved = granted.some((one) => isOf(one, posting));
    if (!isApproved && decoded?.metadata.actor === actorOf(staff)) cents += posting.cents;
  }
  return cents;
}

/** Returns true if a request is for a posting. Money that goes out has its reference only when it goes. */
function isOf(one: Approval, { kind, reference, cents, paidOut }: Posting): boolean {
  if (one.kind !== kind) return false;
  return paidOut === undefined
    ? one.reference === reference
    : one.reason === paidOut.reason && one.iban === paidOut.iban && one.amountCents === String(cents);
}

/** A staff posting with its key in approvals. */
interface Posting extends Pick<MoneyRequest, "kind" | "reference"> {
  readonly cents: bigint;
  readonly at: string;
  /** Of money that goes out. */
  readonly paidOut?: Required<Pick<MoneyRequest, "reason" | "iban">>;
}

function postingOf({ type, data }: AccountEvent): Posting | undefined {
  switch (type) {
    case "BalanceCredited":
      return {
        kind: "top-up",
        reference: data.reference,
        cents: BigInt(data.amountCents),
        at: data.creditedAt,
      };
    case "BalanceAdjusted": {
      const { kind, reference, amountCents, adjustedAt: at } = data;
      return { kind, reference, cents: BigInt(amountCents.replace("-", "")), at };
    }
    case "BalancePaidOut": {
      const { to, reference, reason, iban, amountCents, paidOutAt: at } = data;
      const kind = to === "bank" ? "payout" : "payment-refund";
      return { kind, reference, paidOut: { reason, iban }, cents: BigInt(amountCents), at };
    }
    case "RefundGranted":
      return {
        kind: "refund",
        reference: data.chargeId,
        cents: BigInt(data.grossCents),
        at: data.refundedAt,
      };
    default:
      return undefined;
  }
}

/** Approves another person's request. @returns the posting to book. @throws ConnectError for a rejection. */
export async function grantApproval(
  dependencies: ApprovalDependencies,
  staff: StaffCaller,
  approvalId: number,
  context: WithContextValues,
): Promise<MoneyRequest> {
  const data = { approvalId, grantedBy: staff.name, at: dependencies.clock.now() };
  const { approvals } = await command(dependencies, { type: "GrantApproval", data }, context);
  const approval = approvals.find((one) => one.approvalId === approvalId);
  if (approval === undefined) throw new Error("the approval was granted but is not there");
  const { accountId, kind, amountCents, reference, reason, debtAllowed, iban } = approval;
  return { accountId, kind, amountCents: BigInt(amountCents), reference, reason, debtAllowed, iban };
}

/** Returns requests that await a second person, oldest first. */
export async function openApprovals({
  commands,
  clock,
}: Pick<ApprovalDependencies, "commands" | "clock">): Promise<readonly Approval[]> {
  const { state } = await commands.load(approvalAggregate, streamId);
  return state.approvals.filter((one) => isOpenApproval(one, clock.now()));
}

async function command(
  { commands, ids }: ApprovalDependencies,
  asked: ApprovalCommand,
  context: WithContextValues,
): Promise<ApprovalState> {
  const asCommand = commandContext(context, `${asked.type}/${ids.uuid()}`);
  const executed = await commands.execute(approvalAggregate, streamId, asked, asCommand);
  requireAccepted(executed);
  return executed.state;
}
