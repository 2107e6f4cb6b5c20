import {
  accountCodec,
  counted,
  type ErasePersonalData,
  formatEuros,
  type OpenAccountState,
  rejection,
} from "@hostledger/core";
import { eventsOf } from "@hostledger/event-store";
import { notAvailableText, subjectOfAccount } from "@hostledger/personal-data";
import { shown, shownSoFar } from "@hostledger/projections";
import { rejectionError, type WithContextValues } from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, type AccountOutcome } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

/** An erased account. */
export interface ErasedAccount extends Omit<AccountOutcome, "events" | "revision"> {
  /** API keys that were revoked for it now. */
  readonly apiKeysRevoked: number;
  /** True when there was a key of personal data until now. */
  readonly keyDestroyed: boolean;
  /** All of it was done before. */
  readonly repeated: boolean;
}

/** Domains and servers that a refusal names; the others it counts. */
const namedHoldings = 20;

/** Domains and servers that are counted. */
const countedHoldings = 10_000;

/**
 * Refuses the erasure of an account that is not empty: nobody could be asked afterwards whose the money and the names are, and an
 * invoice that is made then names no recipient. An account that is erased already is let through.
 * @param exportedDocuments how many documents the caller has.
 * @throws ConnectError `validation-failed` with all that is left; `not-found`.
 */
export async function refuseUnlessEmpty(
  dependencies: AccountDependencies,
  accountId: number,
  exportedDocuments: number,
): Promise<void> {
  const { projector, queries } = dependencies;
  const found = await findAccount(dependencies, accountId);
  const { erasedAt, balanceCents } = found.account;
  if (erasedAt !== undefined) return;
  await shownSoFar(dependencies);
  await shown(projector, found);
  const holdings = await queries.holdingsOf(accountId, countedHoldings);
  const documents = (await queries.invoiceCount(accountId)) - exportedDocuments;
  const named = (kind: "domain" | "server"): string | undefined => {
    const prefix = `${kind}-`;
    const all = holdings.filter((stream) => stream.startsWith(prefix));
    const more = all.length > namedHoldings ? ` and ${String(all.length - namedHoldings)} more` : "";
    const names = all.slice(0, namedHoldings).map((stream) => stream.slice(prefix.length));
    return all.length === 0 ? undefined : `${kind}${all.length === 1 ? "" : "s"} ${names.join(", ")}${more}`;
  };
  const left = [
    balanceCents > 0n ? `a balance of ${formatEuros(balanceCents)} EUR` : undefined,
    balanceCents < 0n ? `a debt of ${formatEuros(-balanceCents)} EUR` : undefined,
    named("domain"),
    named("server"),
    documents > 0
      ? `${counted(documents, "document that was", "documents that were")} not exported (--export DIR)`
      : undefined,
  ].filter((one) => one !== undefined);
  if (left.length === 0) return;
  const sentence = `Account ${String(accountId)} is not empty. It has ${left.join("; ")}. Settle what is left, or erase all the same with --force.`;
  throw rejectionError(rejection("validation-failed", sentence));
}

/**
 * Erases the person behind an account, whatever it has. The fact comes first: a process that dies behind it leaves a key that every start then
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
  const keyDestroyed = key !== undefined && key !== "destroyed";
  return { ...facts, keyDestroyed, repeated: facts.repeated && !keyDestroyed };
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
  let repeated = true;
  for (;;) {
    const outcome = await commandAccount(
      dependencies,
      accountId,
      { type: "ErasePersonalData", data: { because, at: dependencies.clock.now() } },
      commandContext(context, `erase/${String(accountId)}/${firstLiveKey(account)}`),
    );
    ({ account, position } = outcome);
    apiKeysRevoked += outcome.events.filter(({ type }) => type === "ApiKeyRevoked").length;
    repeated &&= outcome.events.length === 0;
    if (account.erasedAt !== undefined) return { account, position, apiKeysRevoked, repeated };
  }
}

function firstLiveKey({ apiKeys }: OpenAccountState): string {
  let first = Infinity;
  for (const [keyId, { revokedAt }] of apiKeys) if (revokedAt === null && keyId < first) first = keyId;
  return first === Infinity ? "none" : String(first);
}
