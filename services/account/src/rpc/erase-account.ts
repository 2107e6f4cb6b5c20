import {
  accountCodec,
  type ErasePersonalData,
  formatEuros,
  type OpenAccountState,
  rejection,
} from "@hostledger/core";
import { eventsOf } from "@hostledger/store";
import { notAvailableText, subjectOfAccount } from "@hostledger/store/personal-data";
import { defined } from "@hostledger/runtime";
import { rejectionError, type WithContextValues } from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, type AccountOutcome } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

export interface ErasedAccount extends Omit<AccountOutcome, "events" | "revision"> {
  readonly apiKeysRevoked: number;
  /** True if the call destroyed the key of personal data. */
  readonly keyDestroyed: boolean;
  /** True if everything was done before. */
  readonly repeated: boolean;
}

type Erasing = Omit<ErasePersonalData["data"], "at">;

/** Domains and servers named in a refusal; others are counted. */
const namedHoldings = 20;

/** Maximum documents archived between two reads of the list. */
const documentsInStep = 100;

/** Maximum domains and servers counted. */
const countedHoldings = 10_000;

/**
 * Refuses to erase an account with balance or resources, because afterwards nobody could say who owns them, and new
 * invoices would name no recipient. An erased account passes. Documents are no obstacle, because an erasure archives them first.
 * @param isPaidOut true if a balance is no obstacle, because it is paid out before the erasure
 * @throws ConnectError `validation-failed` listing all obstacles; `not-found`.
 */
export async function refuseUnlessEmpty(
  dependencies: AccountDependencies,
  accountId: number,
  isPaidOut: boolean,
): Promise<void> {
  const { projector, queries } = dependencies;
  const found = await findAccount(dependencies, accountId);
  const { erasedAt, balanceCents } = found.account;
  if (erasedAt !== undefined) return;
  await dependencies.projector.after("end");
  await projector.after(found.position);
  const holdings = await queries.holdingsOf(accountId, countedHoldings);
  const named = (kind: "domain" | "server"): string | undefined => {
    const prefix = `${kind}-`;
    const all = holdings.filter((stream) => stream.startsWith(prefix));
    const more = all.length > namedHoldings ? ` and ${String(all.length - namedHoldings)} more` : "";
    const names = all.slice(0, namedHoldings).map((stream) => stream.slice(prefix.length));
    return all.length === 0 ? undefined : `${kind}${all.length === 1 ? "" : "s"} ${names.join(", ")}${more}`;
  };
  const left = [
    balanceCents > 0n && !isPaidOut ? `a balance of ${formatEuros(balanceCents)} EUR` : undefined,
    balanceCents < 0n ? `a debt of ${formatEuros(-balanceCents)} EUR` : undefined,
    named("domain"),
    named("server"),
  ].filter((one) => one !== undefined);
  if (left.length === 0) return;
  const sentence = `Account ${String(accountId)} is not empty. It has ${left.join("; ")}. Settle what is left, or erase all the same with --force.`;
  throw rejectionError(rejection("validation-failed", sentence));
}

/**
 * Erases personal data. The event precedes the key's destruction, which every start repeats. @throws ConnectError
 * `not-found`, or `validation-failed` for an account that must be settled and is not
 */
export async function erase(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
  asked: Erasing,
): Promise<ErasedAccount> {
  const subject = subjectOfAccount(accountId);
  const key = (await dependencies.subjectKeys.find([subject])).get(subject);
  // Documents name the person as long as the law keeps them, so they are rendered while the name can be read.
  if (asked.because === "asked") await archiveWaiting(dependencies, accountId);
  const events = await appendEvents(dependencies, accountId, context, asked);
  // The subscriber to erasure events may already have destroyed the key.
  await dependencies.subjectKeys.destroy(subject);
  const keyDestroyed = key !== undefined && key !== "destroyed";
  return { ...events, keyDestroyed, repeated: events.repeated && !keyDestroyed };
}

/** Data of an erased account that the law requires to keep. */
export interface KeptByLaw {
  readonly documentsKept: number;
  /** Last year in which a document that names the person is kept. */
  readonly documentsKeptUntil?: number;
  readonly postingsKeptUntil: number;
}

/**
 * Returns the data that an erasure leaves because of the law: documents under their own keys, and postings without
 * names.
 */
export async function keptByLaw(
  { queries, subjectKeys, retainedJournalYears }: AccountDependencies,
  { accountId, erasedAt = "" }: Pick<OpenAccountState, "accountId" | "erasedAt">,
): Promise<KeptByLaw> {
  const documentsKept = await queries.invoiceCount(accountId);
  const keys = await subjectKeys.retained({ accountId });
  return {
    documentsKept,
    postingsKeptUntil: Number(erasedAt.slice(0, 4)) + retainedJournalYears,
    ...defined({ documentsKeptUntil: keys.at(-1)?.year }),
  };
}

/** @throws ConnectError `temporarily-unavailable` if the archive cannot be written: then nothing is erased */
async function archiveWaiting(
  { documents, projector, queries }: AccountDependencies,
  accountId: number,
): Promise<void> {
  await projector.after("end");
  for (;;) {
    const waiting = await queries.waitingOf(accountId, documentsInStep);
    for (const documentId of waiting) await documents.archived(documentId);
    if (waiting.length < documentsInStep) return;
    await projector.after("end");
  }
}

/** Records the loss of a personal data key, like an erasure. @throws ConnectError `not-found`, `validation-failed` */
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
  return erase(dependencies, accountId, context, { because: "key-lost" });
}

/** Returns true if the account's name can be decrypted; reads the store, because the key may have been restored. */
async function opensItsName({ store }: AccountDependencies, accountId: number): Promise<boolean> {
  for await (const { event: opening } of eventsOf(store, subjectOfAccount(accountId), accountCodec))
    return opening.type !== "AccountOpened" || opening.data.name !== notAvailableText;
  return true;
}

/** Appends the events of an erasure, in commands named after their first key so that repeats are equal. */
async function appendEvents(
  dependencies: AccountDependencies,
  accountId: number,
  context: WithContextValues,
  asked: Erasing,
): Promise<Omit<ErasedAccount, "keyDestroyed">> {
  let { account, position } = await findAccount(dependencies, accountId);
  let apiKeysRevoked = 0;
  let repeated = true;
  for (;;) {
    const outcome = await commandAccount(
      dependencies,
      accountId,
      { type: "ErasePersonalData", data: { ...asked, at: dependencies.clock.now() } },
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
