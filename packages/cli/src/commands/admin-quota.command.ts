import { maximumQuota } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { InvalidArgumentError } from "commander";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { viewOf } from "../output/message-document.ts";
import { argument, option } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";

/** Word for the default quota, which applies if the account has no quota of its own. */
const standard = "standard";

export const quotas = viewOf(
  admin.AccountQuotaSchema,
  { quota: "name", value: "value", standard: "standard", "taken today": "takenToday" },
  { name: "quota" },
);

export const addQuotaCommand = custom(
  ["quota", "show the quotas of an account, or set one of them"],
  {
    accountId: argument("<id>", "account id", parseId),
    quota: argument<string | undefined>("[name]", "the quota to set, as listed", parseText),
    value: argument<bigint | typeof standard | undefined>(
      "[value]",
      `what the account may use, or "${standard}"`,
      parseQuota,
    ),
    reason: option("--reason <text>", "reason, 1 to 1,000 characters", parseText),
  },
  async ({ accounts }, { accountId, quota, value, reason = "" }) => {
    if (quota === undefined) return quotas.list((await accounts.listQuotas({ accountId })).quotas);
    const wanted = defined({ value: value === standard ? undefined : value });
    const set = await accounts.setQuota({ accountId, quota, reason, ...wanted });
    const { document, text } = quotas.list(set.quotas);
    return {
      document,
      text: set.repeated ? `Nothing was done, because nothing had to change.\n${text}` : text,
    };
  },
  ({ quota, value, reason }) => {
    if (quota === undefined && reason !== undefined)
      throw wrongUsage("--reason is for a quota that is set: name the quota and its value too.");
    if (quota !== undefined && (value === undefined || reason === undefined))
      throw wrongUsage(`Setting the quota ${quota} needs <value> and --reason: name both.`);
  },
);

function parseQuota(text: string): bigint | typeof standard {
  if (text === standard) return standard;
  if (!/^(0|[1-9]\d{0,12})$/.test(text) || BigInt(text) > BigInt(maximumQuota))
    throw new InvalidArgumentError(
      `It must be a whole number up to ${String(maximumQuota)}, or "${standard}".`,
    );
  return BigInt(text);
}
