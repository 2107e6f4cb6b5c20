import type { ServiceImpl } from "@connectrpc/connect";
import {
  formatEuros,
  noticeChoiceAggregate,
  parsed,
  parseEuros,
  type Cents,
  type NoticeChoiceState,
  type Parsed,
} from "@hostledger/core";
import type { support } from "@hostledger/protocol";
import { rejectionError, requestContextOf, requireAccount, useQuota, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { SupportDependencies } from "../dependencies.ts";

type Handlers = Pick<ServiceImpl<typeof support.SupportService>, "getNoticeChoices" | "changeNoticeChoices">;

/** What the calling account chose of its notices. */
export function noticeChoiceRpc({ commands, clock, quotas, webhooks }: SupportDependencies): Handlers {
  const load = async (accountId: number): Promise<NoticeChoiceState> =>
    (await commands.load(noticeChoiceAggregate, String(accountId))).state;
  return {
    async getNoticeChoices(_request, context) {
      const { accountId } = requireAccount(context);
      return { choices: choicesMessage(await load(accountId)) };
    },

    async changeNoticeChoices({ balanceLowBelow }, context) {
      const { accountId } = requireAccount(context);
      if (balanceLowBelow === undefined) return { choices: choicesMessage(await load(accountId)) };
      const { balance_low_below: threshold } = validated({
        balance_low_below: parseThreshold(balanceLowBelow),
      });
      await useQuota(quotas, "free_writes_a_day", 1, context);
      const { operationId: _, ...origin } = requestContextOf(context);
      const executed = await commands.execute(
        noticeChoiceAggregate,
        String(accountId),
        { type: "SetLowBalanceThreshold", data: { accountId, threshold, at: clock.now() } },
        { ...origin, commandId: webhooks.ids.uuid() },
      );
      if (!executed.accepted) throw rejectionError(executed.rejection);
      return { choices: choicesMessage(executed.state) };
    },
  };
}

/** Reads a threshold; an empty text takes it back. */
function parseThreshold(text: string): Parsed<Cents | null> {
  return text === "" ? parsed(null) : parseEuros(text);
}

function choicesMessage({ lowBalanceThreshold, changedAt }: NoticeChoiceState) {
  const balanceLowBelow = lowBalanceThreshold === null ? undefined : formatEuros(lowBalanceThreshold);
  return defined({ balanceLowBelow, changedAt });
}
