import { addMilliseconds, counted } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";

import { parseText } from "../arguments/value-parsers.ts";
import { parseDay, refuseReversed } from "../audit/instant-parsers.ts";
import { mostListedMovements } from "../audit/provider-list.codec.ts";
import { listMovements, type ProviderList } from "../audit/provider-list-of-movements.ts";
import { refused } from "../exit-code.ts";
import { writeNewFile } from "../output/new-file.ts";
import { rebuildDeadlineMilliseconds } from "../staff/staff-command.ts";
import { option, required } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";

const dayMs = 86_400_000;

/** `bank provider-list` writes what a payment provider lists to a file for `audit reconcile`. */
export const bankProviderListCommand = custom(
  [
    "provider-list",
    "ask the payment provider what it settled, sent back and paid out, and write the list for audit reconcile --provider-list",
  ],
  {
    from: required("--from <date>", "first day (UTC), for example 2026-03-01", parseDay),
    to: required("--to <date>", "last day (UTC), for example 2026-03-31", parseDay),
    output: required("--output <file>", "file to write, which must not exist yet", parseText),
    provider: option(
      "--provider <name>",
      "another configured payment provider than the present one",
      parseText,
    ),
  },
  async ({ bank }, { from, to, output, provider = "" }) => {
    refuseReversed(from, to, "--to");
    const span = {
      from: `${from}T00:00:00.000000Z`,
      to: addMilliseconds(`${to}T00:00:00.000000Z`, dayMs),
    };
    const { last, movements } = await readPages(bank, { ...span, provider });
    const list = listMovements(movements);
    const { provider: name } = last;
    const view = { name, from: last.from, to: last.to, movements: list.movements };
    writeNewFile(output, `${JSON.stringify(view, undefined, 2)}\n`);
    const document = {
      provider: name,
      from: last.from,
      to: last.to,
      movements: list.movements.length,
      foreign: list.foreign,
      others: list.others,
      other_currencies: list.currencies,
    };
    return { document, text: textOf(list, output, last) };
  },
);

/** Reads all pages of a span. @throws CommandFailure above `mostListedMovements` */
async function readPages(
  bank: StaffClient["bank"],
  asked: Readonly<Record<"from" | "to" | "provider", string>>,
): Promise<{
  readonly last: admin.ListProviderMovementsResponse;
  readonly movements: readonly admin.ProviderMovement[];
}> {
  const movements: admin.ProviderMovement[] = [];
  let { to, provider } = asked;
  for (let after = ""; ;) {
    const page = await bank.listProviderMovements(
      { ...asked, to, provider, after },
      { timeoutMs: rebuildDeadlineMilliseconds },
    );
    movements.push(...page.movements);
    ({ to, provider, next: after } = page);
    if (after === "") return { last: page, movements };
    if (movements.length > mostListedMovements)
      throw refused(
        `${provider} has more than ${String(mostListedMovements)} movements in these days: name a shorter span.`,
      );
  }
}

function textOf(
  { movements, foreign, others, currencies }: ProviderList,
  output: string,
  { provider, from, to }: admin.ListProviderMovementsResponse,
): string {
  const left = [
    ...(foreign === 0 ? [] : [`${counted(foreign, "movement")} of other installations`]),
    ...(others === 0 ? [] : [counted(others, "fee or other movement", "fees and other movements")]),
    ...(currencies === 0 ? [] : [`${counted(currencies, "movement")} in other currencies`]),
  ];
  return (
    `${counted(movements.length, "movement")} of ${provider} from ${from} to ${to} are in ${output}.\n` +
    (left.length === 0 ? "" : `Not in the list: ${left.join(", ")}.\n`) +
    `Compare it with the books: hostledger audit reconcile --provider-list ${output}\n`
  );
}
