import { createHash } from "node:crypto";

import {
  isTakenBack,
  mostTakers,
  referenceAggregate,
  rejection,
  takenBy,
  type ReferenceKind,
  type Rejection,
  type RequestClaim,
} from "@hostledger/core";
import type { CommandContext } from "@hostledger/event-store";
import { rejectionError } from "@hostledger/rpc";

import { findAccount } from "./account-commands.ts";
import type { AccountDependencies } from "./dependencies.ts";

type References = Pick<AccountDependencies, "accounts" | "commands" | "queries" | "clock">;

/** What is booked on which account, and what it is known by. */
export interface Referenced {
  readonly kind: ReferenceKind;
  readonly reference: string;
  readonly accountId: number;
}

/** Refuses what another account has, before anything comes of it. @throws ConnectError `reference-conflict` */
export async function refuseTaken(dependencies: References, wanted: Referenced): Promise<void> {
  const { refusal } = await ownershipOf(dependencies, wanted);
  if (refusal !== undefined) throw rejectionError(refusal);
}

/**
 * The context of the command that books it. The reference is taken in front of the command's first fact, so that a command that
 * is refused takes none.
 */
export function taking(
  dependencies: References,
  wanted: Referenced,
  context: CommandContext,
): CommandContext {
  const claim: RequestClaim = { isMade: false, make: () => take(dependencies, wanted, context) };
  return { ...context, claim };
}

async function take(
  dependencies: References,
  wanted: Referenced,
  context: CommandContext,
): ReturnType<RequestClaim["make"]> {
  const { refusal, owner, isRecorded } = await ownershipOf(dependencies, wanted);
  if (refusal !== undefined) return refusal;
  const freedBy = owner === wanted.accountId ? undefined : owner;
  const takers = freedBy === undefined || isRecorded ? [wanted] : [{ ...wanted, accountId: freedBy }, wanted];
  for (const taker of takers) {
    const data = { ...taker, freedBy: taker === wanted ? freedBy : undefined, at: dependencies.clock.now() };
    const commandId = `${context.commandId}/${String(taker.accountId)}`;
    const command = { type: "TakeReference", data } as const;
    const asCommand = { ...context, commandId };
    const stream = streamIdOf(wanted);
    const executed = await dependencies.commands.execute(referenceAggregate, stream, command, asCommand);
    if (!executed.accepted) return executed.rejection;
  }
  return undefined;
}

interface Ownership {
  /** The account that has the reference; undefined where none has. */
  readonly owner: number | undefined;
  /** The reference's own stream says so. */
  readonly isRecorded: boolean;
  /** Why the wanted account cannot have it. */
  readonly refusal: Rejection | undefined;
}

/** A payment that was taken back from its account leaves its reference to another account, once. */
async function ownershipOf(dependencies: References, wanted: Referenced): Promise<Ownership> {
  const { state } = await dependencies.commands.load(referenceAggregate, streamIdOf(wanted));
  const { takers } = state;
  const owner = takers.at(-1) ?? (await bookedBefore(dependencies, wanted));
  const known = { owner, isRecorded: takers.length > 0 };
  if (owner === undefined || owner === wanted.accountId) return { ...known, refusal: undefined };
  const isFree =
    wanted.kind === "top-up" &&
    takers.length < mostTakers &&
    (await isTakenBackFrom(dependencies, owner, wanted.reference));
  const refusal = isFree ? undefined : rejection("reference-conflict", takenBy(wanted.kind, owner));
  return { ...known, refusal };
}

async function isTakenBackFrom(
  dependencies: References,
  accountId: number,
  reference: string,
): Promise<boolean> {
  const { account } = await findAccount(dependencies, accountId);
  return isTakenBack(account, reference);
}

/** Payments that were booked when references were an account's own have a receipt, which names theirs. */
async function bookedBefore(
  { queries }: References,
  { kind, reference }: Referenced,
): Promise<number | undefined> {
  return kind === "top-up" ? (await queries.receiptOf(reference))?.account_id : undefined;
}

/** References are people's texts, and names of streams are short. */
function streamIdOf({ kind, reference }: Referenced): string {
  return `${kind}-${createHash("sha256").update(reference).digest("hex")}`;
}
