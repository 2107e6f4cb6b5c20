import type { ServiceImpl } from "@connectrpc/connect";
import {
  dailyQuotas,
  isQuotaName,
  maximumQuota,
  parseLine,
  parsed,
  quotaAggregate,
  quotaCatalogue,
  quotaNames,
  quotaValue,
  takenOn,
  unparsable,
  type Parsed,
  type QuotaName,
  type QuotaState,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { requestedId, validated, requireAccepted } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type Handlers = Pick<ServiceImpl<typeof admin.AccountAdminService>, "setQuota" | "listQuotas">;

const maximumReasonLength = 1_000;

/** Creates the handlers of quotas. All services read and write the stream `quota-<account>`. */
export function quotaHandlers(dependencies: AccountDependencies): Handlers {
  const { clock, quotas: commands, ids } = dependencies;
  return {
    async setQuota(request, context) {
      const accountId = requestedId("account", request.accountId);
      const { quota, value, reason } = validated({
        quota: parseQuotaName(request.quota),
        value: parseQuotaValue(request.value),
        reason: parseLine(request.reason, maximumReasonLength),
      });
      await findAccount(dependencies, accountId);
      const executed = await commands.execute(
        quotaAggregate,
        String(accountId),
        { type: "SetQuota", data: { accountId, quota, value, reason, at: clock.now() } },
        commandContext(context, `quota/${ids.uuid()}`),
      );
      requireAccepted(executed);
      const repeated = executed.events.length === 0;
      return { quotas: quotasOf(executed.state, clock.now()), repeated };
    },

    async listQuotas(request) {
      const accountId = requestedId("account", request.accountId);
      await findAccount(dependencies, accountId);
      const { state } = await commands.load(quotaAggregate, String(accountId));
      return { quotas: quotasOf(state, clock.now()) };
    },
  };
}

function quotasOf(state: QuotaState, at: string) {
  return quotaNames.map((name) => ({
    name,
    value: BigInt(quotaValue(state, name)),
    standard: BigInt(quotaCatalogue[name].standard),
    ...defined({ takenToday: takenToday(state, name, at) }),
  }));
}

function takenToday(state: QuotaState, name: QuotaName, at: string): bigint | undefined {
  const daily = dailyQuotas.find((one) => one === name);
  return daily === undefined ? undefined : BigInt(takenOn(state, daily, at));
}

function parseQuotaName(text: string): Parsed<QuotaName> {
  return isQuotaName(text) ? parsed(text) : unparsable(`must be one of ${quotaNames.join(", ")}`);
}

function parseQuotaValue(value: bigint | undefined): Parsed<number | null> {
  if (value === undefined) return parsed(null);
  return value >= 0n && value <= BigInt(maximumQuota)
    ? parsed(Number(value))
    : unparsable("must be from 0 to 1,000,000,000,000");
}
