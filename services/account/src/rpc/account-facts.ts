import type { ServiceImpl } from "@connectrpc/connect";
import { accountAggregate, parsed, unparsable, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { bareType, originOf, sentenceOf } from "@hostledger/audit/reports";
import { requestedId, validated } from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

const usualFacts = 10;
const maximumFacts = 100;

/** Handles `ListAccountFacts`: the last events as sentences, without the hashes of keys in raw events. */
export function accountFacts(
  dependencies: AccountDependencies,
): ServiceImpl<typeof admin.AccountAdminService>["listAccountFacts"] {
  return async (request) => {
    const accountId = requestedId("account", request.accountId);
    const { limit } = validated({ limit: parseLimit(request.limit) });
    await findAccount(dependencies, accountId);
    const stream = `${accountAggregate.category}-${String(accountId)}`;
    const facts = [];
    for await (const fact of dependencies.store.read(stream, { direction: "backwards", limit }))
      facts.push({
        revision: fact.revision,
        type: bareType(fact),
        storedAt: fact.time,
        actor: originOf(fact).actor,
        sentence: sentenceOf(fact),
      });
    return { facts, total: (facts[0]?.revision ?? -1n) + 1n };
  };
}

function parseLimit(limit: number): Parsed<number> {
  if (limit > maximumFacts) return unparsable(`must be at most ${String(maximumFacts)}`);
  return parsed(limit === 0 ? usualFacts : limit);
}
