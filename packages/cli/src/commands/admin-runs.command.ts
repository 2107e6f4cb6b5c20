import { admin } from "@hostledger/protocol";

import { parseText } from "../arguments/value-parsers.ts";
import { viewOf } from "../output/message-document.ts";
import { argument, flag, optionOr } from "../staff/command-line.codec.ts";
import { custom, noun } from "../staff/staff-table.ts";

const runs = viewOf(admin.RunSchema, {
  run: "run",
  subject: "subject",
  account: "accountId",
  status: "status",
  step: "step",
  started: "startedAt",
  reason: "reason",
});

const steps = viewOf(admin.RunStepSchema, { at: "at", event: "event", reason: "reason" });

/** `admin runs …`: unfinished runs, such as a registration whose registrar does not answer. */
export const addRunsCommands = noun("runs", "unfinished process runs", [
  custom(
    ["list", "list unfinished runs, and changes that no provider has answered, oldest first"],
    { parkedOnly: flag("--parked", "only runs that wait for staff") },
    async ({ domains, servers }, asked) => {
      const [ofDomains, ofServers] = await Promise.all([
        domains.listRuns(asked),
        servers.listServerRuns(asked),
      ]);
      return runs.list([...ofDomains.runs, ...ofServers.runs].toSorted(byStart));
    },
  ),
  custom(
    ["show", "show the steps of a run and its provider's answers; finished runs too"],
    { run: argument("<run>", "id of the run, as listed, or as in an event", parseText) },
    async ({ domains, servers }, { run }) => {
      const found = isOfServers(run) ? await servers.showServerRun({ run }) : await domains.showRun({ run });
      const { document, text } = steps.list(found.steps);
      return { document: { run, steps: document }, text };
    },
  ),
  custom(
    ["retry", "let a parked run try again"],
    { run: argument("<run>", "id of the run, as listed", parseText) },
    async ({ domains, servers }, { run: id }) => {
      const { run } = isOfServers(id)
        ? await servers.retryServerRun({ run: id })
        : await domains.retryRun({ run: id });
      return { document: { run }, text: `${run} tries again.\n` };
    },
  ),
  custom(
    ["abandon", "end a parked run that staff completed by hand, or a change that no provider answers"],
    {
      run: argument("<run>", "id of the run or the change, as listed", parseText),
      reason: optionOr("--reason <text>", "why, for the record", parseText, "settled by staff"),
    },
    async ({ domains, servers }, asked) => {
      const { run } = isOfServers(asked.run)
        ? await servers.abandonServerRun(asked)
        : await domains.abandonRun(asked);
      return { document: { run }, text: `${run} is ended.\n` };
    },
  ),
]);

/** Returns true if a run belongs to the server service, by the kind in its id. */
function isOfServers(run: string): boolean {
  return run.startsWith("serverorder-") || run.startsWith("serverrenewal-");
}

/** Sorts by start, oldest first; instants sort as texts. */
function byStart(left: admin.Run, right: admin.Run): number {
  return left.startedAt < right.startedAt ? -1 : left.startedAt > right.startedAt ? 1 : 0;
}
