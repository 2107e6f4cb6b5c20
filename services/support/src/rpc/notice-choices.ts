import type { ServiceImpl } from "@connectrpc/connect";
import {
  formatEuros,
  mailStopOf,
  noticeChoiceAggregate,
  parsed,
  parseEuros,
  type Cents,
  type MailBounce,
  type NoticeChoiceCommand,
  type NoticeChoiceState,
  type NoticeKind,
  type Parsed,
} from "@hostledger/core";
import type { support } from "@hostledger/protocol";
import {
  conditionOf,
  requestContextOf,
  requireAccount,
  useQuota,
  validated,
  requireAccepted,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { SupportDependencies } from "../dependencies.ts";
import { parseKinds } from "./webhooks.ts";

type Handlers = Pick<
  ServiceImpl<typeof support.SupportService>,
  "getNoticeChoices" | "getNoticeChoicesRevision" | "changeNoticeChoices"
>;

/** Creates the handlers of the calling account's notice choices. */
export function noticeChoiceRpc({ commands, clock, quotas, webhooks }: SupportDependencies): Handlers {
  const chosenBy = async (accountId: number) => {
    const { state } = await commands.load(noticeChoiceAggregate, String(accountId));
    const mailbox = state.bounce === null ? undefined : await webhooks.notices.mailboxOf(accountId);
    return choicesMessage(state, mailbox && mailStopOf(state, mailbox.email));
  };
  return {
    async getNoticeChoices(_request, context) {
      const { accountId } = requireAccount(context);
      return { choices: await chosenBy(accountId) };
    },

    async getNoticeChoicesRevision(_request, context) {
      const { accountId } = requireAccount(context);
      const { revision = -1n } = await commands.load(noticeChoiceAggregate, String(accountId));
      return { revision };
    },

    async changeNoticeChoices(request, context) {
      const { accountId } = requireAccount(context);
      const wanted = commandsOf(request, { accountId, at: clock.now() });
      if (wanted.length > 0) await useQuota(quotas, "free_writes_a_day", 1, context);
      const { operationId: _, ...origin } = requestContextOf(context);
      let condition = conditionOf(origin);
      for (const command of wanted) {
        const given = { ...origin, commandId: webhooks.ids.uuid(), ...condition };
        const executed = await commands.execute(noticeChoiceAggregate, String(accountId), command, given);
        requireAccepted(executed);
        if (typeof condition.expectedRevision === "bigint")
          condition = { expectedRevision: executed.revision ?? -1n };
      }
      return { choices: await chosenBy(accountId) };
    },
  };
}

/** Parses the changes of a request. @throws ConnectError `validation-failed` */
function commandsOf(
  { balanceLowBelow, mailKinds }: Pick<support.ChangeNoticeChoicesRequest, "balanceLowBelow" | "mailKinds">,
  about: { readonly accountId: number; readonly at: string },
): readonly NoticeChoiceCommand[] {
  const { balance_low_below: threshold, mail_kinds: kinds } = validated({
    balance_low_below: balanceLowBelow === undefined ? parsed(undefined) : parseThreshold(balanceLowBelow),
    mail_kinds: mailKinds === undefined ? parsed(undefined) : parseMailKinds(mailKinds),
  });
  const commands: NoticeChoiceCommand[] = [];
  if (threshold !== undefined)
    commands.push({ type: "SetLowBalanceThreshold", data: { ...about, threshold } });
  // Choosing kinds of mail also resumes stopped mail.
  if (kinds !== undefined)
    commands.push(
      { type: "ChooseMailKinds", data: { ...about, kinds } },
      { type: "ResumeMail", data: about },
    );
  return commands;
}

function parseMailKinds({ all, kinds }: support.MailKinds): Parsed<readonly NoticeKind[] | null> {
  if (all) return parsed(null);
  return kinds.length === 0 ? parsed([]) : parseKinds(kinds);
}

/** Parses a threshold; an empty text removes it. */
function parseThreshold(text: string): Parsed<Cents | null> {
  return text === "" ? parsed(null) : parseEuros(text);
}

function choicesMessage(
  { lowBalanceThreshold, mailKinds, changedAt }: NoticeChoiceState,
  stop: MailBounce | undefined,
) {
  const balanceLowBelow = lowBalanceThreshold === null ? undefined : formatEuros(lowBalanceThreshold);
  const chosen = mailKinds === null ? undefined : { kinds: [...mailKinds] };
  const mailStopped = stop && { since: stop.bouncedAt, status: stop.status };
  return defined({ balanceLowBelow, mailKinds: chosen, changedAt, mailStopped });
}
