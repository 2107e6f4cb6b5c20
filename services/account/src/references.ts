import { createHash } from "node:crypto";

import {
  referenceAggregate,
  rejection,
  takenBy,
  type ReferenceKind,
  type RequestClaim,
} from "@hostledger/core";
import type { CommandContext } from "@hostledger/event-store";
import { rejectionError } from "@hostledger/rpc";

import type { AccountDependencies } from "./dependencies.ts";

type References = Pick<AccountDependencies, "commands" | "queries" | "clock">;

/** What is booked on which account, and what it is known by. */
export interface Referenced {
  readonly kind: ReferenceKind;
  readonly reference: string;
  readonly accountId: number;
}

/** Refuses what another account has, before anything comes of it. @throws ConnectError `reference-conflict` */
export async function refuseTaken(dependencies: References, wanted: Referenced): Promise<void> {
  const accountId = await ownerOf(dependencies, wanted);
  if (accountId !== undefined && accountId !== wanted.accountId)
    throw rejectionError(rejection("reference-conflict", takenBy(wanted.kind, accountId)));
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
  const { commands, clock } = dependencies;
  const before = await bookedBefore(dependencies, wanted);
  if (before !== undefined && before !== wanted.accountId)
    return rejection("reference-conflict", takenBy(wanted.kind, before));
  const command = { type: "TakeReference", data: { ...wanted, at: clock.now() } } as const;
  const executed = await commands.execute(referenceAggregate, streamIdOf(wanted), command, context);
  return executed.accepted ? undefined : executed.rejection;
}

async function ownerOf(dependencies: References, wanted: Referenced): Promise<number | undefined> {
  const { state } = await dependencies.commands.load(referenceAggregate, streamIdOf(wanted));
  return state.accountId ?? (await bookedBefore(dependencies, wanted));
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
