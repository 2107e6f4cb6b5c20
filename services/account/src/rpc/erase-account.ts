import type { OpenAccountState } from "@hostledger/core";
import { subjectOfAccount } from "@hostledger/personal-data";
import type { WithContextValues } from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, type AccountOutcome } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

/** An erased account. */
export interface ErasedAccount extends Omit<AccountOutcome, "events"> {
  /** API keys that were revoked for it now. */
  readonly apiKeysRevoked: number;
  /** True when there was a key of personal data until now. */
  readonly keyDestroyed: boolean;
}

/**
 * Erases the person behind an account. The fact comes first: a process that dies behind it leaves a key that every start then
 * destroys.
 * @throws ConnectError `not-found`.
 */
export async function erase(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
): Promise<ErasedAccount> {
  const subject = subjectOfAccount(accountId);
  const key = (await dependencies.subjectKeys.find([subject])).get(subject);
  const facts = await appendFacts(dependencies, accountId, context);
  // Whoever follows the log for erasures may have been faster.
  await dependencies.subjectKeys.destroy(subject);
  return { ...facts, keyDestroyed: key !== undefined && key !== "destroyed" };
}

/**
 * Appends the facts of an erasure. An account with more API keys than one append revokes takes several: each is a command of
 * its own, named after the first key it revokes, so that a repeated one is the same.
 */
async function appendFacts(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
): Promise<Omit<ErasedAccount, "keyDestroyed">> {
  let { account, position } = await findAccount(dependencies, accountId);
  let apiKeysRevoked = 0;
  for (;;) {
    const outcome = await commandAccount(
      dependencies,
      accountId,
      { type: "ErasePersonalData", data: { at: dependencies.clock.now() } },
      commandContext(context, `erase/${String(accountId)}/${firstLiveKey(account)}`),
    );
    ({ account, position } = outcome);
    apiKeysRevoked += outcome.events.filter(({ type }) => type === "ApiKeyRevoked").length;
    if (account.erasedAt !== undefined) return { account, position, apiKeysRevoked };
  }
}

function firstLiveKey({ apiKeys }: OpenAccountState): string {
  let first = Infinity;
  for (const [keyId, { revoked }] of apiKeys) if (!revoked && keyId < first) first = keyId;
  return first === Infinity ? "none" : String(first);
}
