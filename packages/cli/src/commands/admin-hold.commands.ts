import { admin } from "@hostledger/protocol";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { changed } from "../output/reply.ts";
import { argument, option, required } from "../staff/command-line.codec.ts";
import { call, type CommandRow } from "../staff/staff-table.ts";

const { placeLegalHold, releaseLegalHold, listLegalHolds } = admin.AccountAdminService.method;

const accountId = argument("<id>", "account id", parseId);
const holdReason = required("--reason <text>", "why, 1 to 500 characters", parseText);
const holdColumns = {
  account: "accountId",
  reason: "reason",
  until: "until",
  placed: "placedAt",
  "in force": "inForce",
} as const;
const holds = viewOf(admin.LegalHoldSchema, holdColumns);

/** `admin account hold`, `release` and `holds`: legal holds on documents. */
export const holdCommands: readonly CommandRow[] = [
  call(
    ["hold", "keep the documents of an account beyond the end of their term, for example during a lawsuit"],
    placeLegalHold,
    {
      inputs: {
        accountId,
        reason: holdReason,
        until: option("--until <date>", "last day of the hold (UTC), for example 2036-12-31", parseText),
      },
      answer({ hold, repeated }) {
        if (hold === undefined) throw new Error("the instance answered no hold");
        return changed(repeated, { document: holds.document(hold), text: holds.lines(holdColumns, hold) });
      },
    },
  ),
  call(
    ["release", "release the hold on the documents of an account; those whose term is over are destroyed"],
    releaseLegalHold,
    {
      inputs: { accountId, reason: holdReason },
      answer: ({ repeated }, { accountId: id = 0n }) => ({
        document: { account_id: jsonInteger(id), repeated },
        text: repeated
          ? `Nothing was done: account ${String(id)} is under no hold.\n`
          : `The hold on account ${String(id)} is released.\n`,
      }),
    },
  ),
  call(["holds", "list the holds on documents that staff have not released"], listLegalHolds, {
    inputs: {},
    answer: (list) => holds.list(list.holds),
  }),
];
