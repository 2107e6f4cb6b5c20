import { accountCodec, rejection, type ErasePersonalData, type OpenAccountState } from "@hostledger/core";
import { eventsOf } from "@hostledger/event-store";
import { notAvailableText, subjectOfAccount } from "@hostledger/personal-data";
import { rejectionError, type WithContextValues } from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, type AccountOutcome } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

/** An erased account. */
export interface ErasedAccount extends Omit<AccountOutcome, "events" | "revision"> {
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
  because: ErasePersonalData["data"]["because"] = "asked",
): Promise<ErasedAccount> {
  const subject = subjectOfAccount(accountId);
  const key = (await dependencies.subjectKeys.find([subject])).get(subject);
  const facts = await appendFacts(dependencies, accountId, context, because);
  // Whoever follows the log for erasures may have been faster.
  await dependencies.subjectKeys.destroy(subject);
  return { ...facts, keyDestroyed: key !== undefined && key !== "destroyed" };
}

/**
 * Declares that the key of an account's personal data is lost for good: what it sealed is gone, which is what an erasure is.
 * @throws ConnectError `not-found`; `validation-failed` while the key is there.
 */
export async function declareKeyLost(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
): Promise<ErasedAccount> {
  const { account } = await findAccount(dependencies, accountId);
  if (account.erasedAt === undefined && (await opensItsName(dependencies, accountId))) {
    const sentence = `The key of account ${String(accountId)} is there: nothing is lost. \`hostledger admin account erase\` destroys it.`;
    const fieldErrors = { account_id: ["has its key"] };
    throw rejectionError(rejection("validation-failed", sentence, { fieldErrors }));
  }
  return erase(dependencies, accountId, context, "key-lost");
}

/** From the store, not from a state in memory: the key may have been brought back since that was read. */
async function opensItsName({ store }: AccountDependencies, accountId: number): Promise<boolean> {
  for await (const { event: opening } of eventsOf(store, subjectOfAccount(accountId), accountCodec))
    return opening.type !== "AccountOpened" || opening.data.name !== notAvailableText;
  return true;
}

/**
 * Appends the facts of an erasure. An account with more API keys than one append revokes takes several: each is a command of
 * its own, named after the first key it revokes, so that a repeated one is the same.
 */
async function appendFacts(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
  because: ErasePersonalData["data"]["because"],
): Promise<Omit<ErasedAccount, "keyDestroyed">> {
  let { account, position } = await findAccount(dependencies, accountId);
  let apiKeysRevoked = 0;
  for (;;) {
    const outcome = await commandAccount(
      dependencies,
      accountId,
      { type: "ErasePersonalData", data: { because, at: dependencies.clock.now() } },
      commandContext(context, `erase/${String(accountId)}/${firstLiveKey(account)}`),
    );
    ({ account, position } = outcome);
    apiKeysRevoked += outcome.events.filter(({ type }) => type === "ApiKeyRevoked").length;
    if (account.erasedAt !== undefined) return { account, position, apiKeysRevoked };
  }
}

function firstLiveKey({ apiKeys }: OpenAccountState): string {
  let first = Infinity;
  for (const [keyId, { revokedAt }] of apiKeys) if (revokedAt === null && keyId < first) first = keyId;
  return first === Infinity ? "none" : String(first);
}
