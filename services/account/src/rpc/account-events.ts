import type { ServiceImpl } from "@connectrpc/connect";
import { accountAggregate, parsed, unparsable, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { bareType, originOf, sentenceOf } from "@hostledger/audit/reports";
import { requestedId, validated } from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

const usualEvents = 10;
const maximumEvents = 100;

/** Handles `ListAccountFacts`: the last events as sentences, without the hashes of keys in raw events. */
export function accountEvents(
  dependencies: AccountDependencies,
): ServiceImpl<typeof admin.AccountAdminService>["listAccountFacts"] {
  return async (request) => {
    const accountId = requestedId("account", request.accountId);
    const { limit } = validated({ limit: parseLimit(request.limit) });
    await findAccount(dependencies, accountId);
    const stream = `${accountAggregate.category}-${String(accountId)}`;
    const events = [];
    for await (const event of dependencies.store.read(stream, { direction: "backwards", limit }))
      events.push({
        revision: event.revision,
        type: bareType(event),
        storedAt: event.time,
        actor: originOf(event).actor,
        sentence: sentenceOf(event),
      });
    return { facts: events, total: (events[0]?.revision ?? -1n) + 1n };
  };
}

function parseLimit(limit: number): Parsed<number> {
  if (limit > maximumEvents) return unparsable(`must be at most ${String(maximumEvents)}`);
  return parsed(limit === 0 ? usualEvents : limit);
}
