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
import type { CommandContext } from "@hostledger/store";
import { rejectionError } from "@hostledger/rpc";

import { findAccount } from "./account-commands.ts";
import type { AccountDependencies } from "./dependencies.ts";

type References = Pick<AccountDependencies, "accounts" | "commands" | "queries" | "clock">;

/** A reference with its kind and account. */
export interface Referenced {
  readonly kind: ReferenceKind;
  readonly reference: string;
  readonly accountId: number;
}

/** Refuses a reference that another account has. @throws ConnectError `reference-conflict` */
export async function refuseTaken(dependencies: References, wanted: Referenced): Promise<void> {
  const { refusal } = await ownershipOf(dependencies, wanted);
  if (refusal !== undefined) throw rejectionError(refusal);
}

/** Returns a context that takes the reference before the command's first event; a rejected command takes none. */
export function taking(
  dependencies: References,
  wanted: Referenced,
  context: CommandContext,
): CommandContext {
  const claim: RequestClaim = { isMade: false, make: () => take(dependencies, wanted, context) };
  return { ...context, claim };
}

/** Returns the account that has a reference; undefined if none has. */
export async function accountOfReference(
  dependencies: References,
  wanted: Referenced,
): Promise<number | undefined> {
  return (await ownershipOf(dependencies, wanted)).owner;
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
  /** Account with the reference; undefined if free. */
  readonly owner: number | undefined;
  /** True if the reference's own stream records the owner. */
  readonly isRecorded: boolean;
  /** Reason why the requested account cannot have the reference. */
  readonly refusal: Rejection | undefined;
}

/** Finds the owner. After a payment was reversed, another account may take its reference once. */
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

/** Finds the owner by receipt, for payments booked before references had their own streams. */
async function bookedBefore(
  { queries }: References,
  { kind, reference }: Referenced,
): Promise<number | undefined> {
  return kind === "top-up" ? (await queries.receiptOf(reference))?.account_id : undefined;
}

/** Hashes the reference, because stream names are short and references are free text. */
function streamIdOf({ kind, reference }: Referenced): string {
  return `${kind}-${createHash("sha256").update(reference).digest("hex")}`;
}
