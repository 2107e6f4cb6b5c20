import type { ServiceImpl } from "@connectrpc/connect";
import {
  isHoldInForce,
  type LegalHold,
  longestStaffReason,
  parsed,
  parseLine,
  type Parsed,
  retentionAggregate,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { requestedId, requireAccepted, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type Handlers = Pick<
  ServiceImpl<typeof admin.AccountAdminService>,
  "placeLegalHold" | "releaseLegalHold" | "listLegalHolds"
>;

/** Maximum characters of a day in a request, so that an error can show a wrong value. */
const longestDay = 40;

/** Creates the handlers of legal holds, which keep documents beyond their term (stream `retention-all`). */
export function legalHoldHandlers(dependencies: AccountDependencies): Handlers {
  const { clock, commands, ids } = dependencies;
  return {
    async placeLegalHold(request, context) {
      const accountId = requestedId("account", request.accountId);
      const { reason, until } = validated({
        reason: parseLine(request.reason, longestStaffReason),
        until: parseUntil(request.until),
      });
      await findAccount(dependencies, accountId);
      const at = clock.now();
      const executed = await commands.execute(
        retentionAggregate,
        "all",
        { type: "PlaceLegalHold", data: { accountId, reason, until, at } },
        commandContext(context, `legal-hold/${ids.uuid()}`),
      );
      requireAccepted(executed);
      const hold = executed.state.holds.get(accountId);
      if (hold === undefined) throw new Error(`account ${String(accountId)} has no hold after it was placed`);
      return { hold: holdMessage(hold, at), repeated: executed.events.length === 0 };
    },

    async releaseLegalHold(request, context) {
      const accountId = requestedId("account", request.accountId);
      const { reason } = validated({ reason: parseLine(request.reason, longestStaffReason) });
      await findAccount(dependencies, accountId);
      const executed = await commands.execute(
        retentionAggregate,
        "all",
        { type: "ReleaseLegalHold", data: { accountId, reason, at: clock.now() } },
        commandContext(context, `legal-hold/${ids.uuid()}`),
      );
      requireAccepted(executed);
      return { accountId: BigInt(accountId), repeated: executed.events.length === 0 };
    },

    async listLegalHolds() {
      const { state } = await commands.load(retentionAggregate, "all");
      const at = clock.now();
      const holds = [...state.holds.values()].sort((a, b) => a.accountId - b.accountId);
      return { holds: holds.map((hold) => holdMessage(hold, at)) };
    },
  };
}

function parseUntil(text: string | undefined): Parsed<string | null> {
  return text === undefined ? parsed(null) : parseLine(text, longestDay);
}

function holdMessage(hold: LegalHold, at: string) {
  const { accountId, reason, until, placedAt } = hold;
  return {
    accountId: BigInt(accountId),
    reason,
    placedAt,
    inForce: isHoldInForce(hold, at),
    ...defined({ until: until ?? undefined }),
  };
}
