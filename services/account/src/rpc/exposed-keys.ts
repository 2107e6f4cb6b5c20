import {
  accountIdOf,
  accountAggregate,
  accountCodec,
  isInForce,
  requestAggregate,
  type ApiKey,
  type RequestState,
} from "@hostledger/core";
import { readableEvent, unlessUnreadable, type Position, type RecordedEvent } from "@hostledger/store";

import type { AccountDependencies } from "../dependencies.ts";
import { requestIdOf } from "../request-claims.ts";

/** Minimum events of accounts inspected per answer. */
const eventsOfOneAnswer = 50_000;

/** An active key whose secret is in a stored answer. */
export interface ExposedKey {
  readonly accountId: number;
  readonly keyId: number;
  readonly key: ApiKey;
}

/** Keys found in a part of `$all`, and the next position; undefined at the end. */
export interface ExposedKeys {
  readonly keys: readonly ExposedKey[];
  readonly next: Position | undefined;
}

type Dependencies = Pick<AccountDependencies, "requests" | "clock"> & {
  readonly store: Pick<AccountDependencies["store"], "subscribe">;
  readonly commands: Pick<AccountDependencies["commands"], "load">;
};

/** Finds active keys whose secret earlier versions stored in an answer. @param after end of the previous page */
export async function exposedKeys(
  dependencies: Dependencies,
  after: Position | "start",
  signal: AbortSignal,
): Promise<ExposedKeys> {
  const keys: ExposedKey[] = [];
  let seen = 0;
  const batches = dependencies.store.subscribe({ from: after, streamPrefixes: ["account-"], signal });
  for await (const { events, position, caughtUp } of batches) {
    for (const event of events) {
      const exposed = await exposedIfReadable(dependencies, event);
      if (exposed !== undefined) keys.push(exposed);
    }
    seen += events.length;
    if (caughtUp) return { keys, next: undefined };
    if (seen >= eventsOfOneAnswer) return { keys, next: position };
  }
  signal.throwIfAborted();
  return { keys, next: undefined };
}

/** Skips an account with an unreadable event, which staff see as a stopped stream. */
function exposedIfReadable(
  dependencies: Dependencies,
  event: RecordedEvent,
): Promise<ExposedKey | undefined> {
  return unlessUnreadable(
    () => exposedBy(dependencies, event),
    () => undefined,
  );
}

async function exposedBy(
  { commands, requests, clock }: Dependencies,
  recorded: RecordedEvent,
): Promise<ExposedKey | undefined> {
  if (!recorded.type.startsWith("ApiKeyIssued.")) return undefined;
  const { event: issued, metadata, stream } = readableEvent(accountCodec, recorded) ?? {};
  const { idempotencyKey } = metadata ?? {};
  if (idempotencyKey === undefined || stream === undefined || issued?.type !== "ApiKeyIssued")
    return undefined;
  const { keyId } = issued.data;
  const accountId = accountIdOf(stream);
  const { state } = await commands.load(accountAggregate, String(accountId));
  const key = state.status === "open" ? state.apiKeys.get(keyId) : undefined;
  if (key === undefined || !isInForce(key, clock.now())) return undefined;
  const request = await requests.load(requestAggregate, requestIdOf(accountId, idempotencyKey));
  return returnsKey(request.state) ? { accountId, keyId, key } : undefined;
}

/** Returns true if the stored answer may contain the secret; unreadable answers may, too. */
function returnsKey(state: RequestState): boolean {
  return state.status === "answered" && !/"key":\s*null/u.test(state.outcome.body);
}
