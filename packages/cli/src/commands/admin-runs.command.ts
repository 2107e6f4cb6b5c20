import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin runs …`: processes that have not ended, such as a registration whose registrar does not answer. */
export function addRunsCommands(group: Command, context: CommandContext): void {
  const runs = group.command("runs").description("unfinished process runs");
  addList(runs, context);
  addShow(runs, context);
  addRetry(runs, context);
  addAbandon(runs, context);
}

function addList(runs: Command, context: CommandContext): void {
  runs
    .command("list")
    .description("list unfinished runs, and changes that no provider answers, oldest first")
    .option("--parked", "only those that wait for staff", false)
    .action(async ({ parked }: { parked: boolean }, command: Command) => {
      await answerFromStaff(context, command, async ({ domains, servers }) => {
        const asked = { parkedOnly: parked };
        const [ofDomains, ofServers] = await Promise.all([
          domains.listRuns(asked),
          servers.listServerRuns(asked),
        ]);
        const runs = [...ofDomains.runs, ...ofServers.runs];
        const rows = runs.toSorted(byStart).map((each) => ({
          run: each.run,
          process: each.process,
          subject: each.subject,
          status: each.status,
          step: each.step,
          started_at: each.startedAt,
          account_id: jsonInteger(each.accountId),
          reason: each.reason ?? null,
        }));
        return listing(rows, [
          { heading: "run", cell: (row) => row.run },
          { heading: "subject", cell: (row) => row.subject },
          { heading: "account", cell: (row) => row.account_id, align: "right" },
          { heading: "status", cell: (row) => row.status },
          { heading: "step", cell: (row) => row.step },
          { heading: "started", cell: (row) => row.started_at },
          { heading: "reason", cell: (row) => row.reason },
        ]);
      });
    });
}

function addShow(runs: Command, context: CommandContext): void {
  runs
    .command("show")
    .description("show what a run came to so far, with the words of its provider; also one that has ended")
    .argument("<run>", "id of the run, as listed, or as in an event", parseText)
    .action(async (id: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains, servers }) => {
        const { steps } = isOfServers(id)
          ? await servers.showServerRun({ run: id })
          : await domains.showRun({ run: id });
        const rows = steps.map(({ event, at, reason = null }) => ({ event, at, reason }));
        const { text } = listing(rows, [
          { heading: "at", cell: (row) => row.at },
          { heading: "event", cell: (row) => row.event },
          { heading: "reason", cell: (row) => row.reason },
        ]);
        return { document: { run: id, steps: rows }, text };
      });
    });
}

function addRetry(runs: Command, context: CommandContext): void {
  runs
    .command("retry")
    .description("let a parked run try again")
    .argument("<run>", "id of the run, as listed", parseText)
    .action(async (id: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains, servers }) => {
        const { run } = isOfServers(id)
          ? await servers.retryServerRun({ run: id })
          : await domains.retryRun({ run: id });
        return { document: { run }, text: `${run} tries again.\n` };
      });
    });
}

function addAbandon(runs: Command, context: CommandContext): void {
  runs
    .command("abandon")
    .description("end a parked run that staff has settled by hand, or a change that no provider answers")
    .argument("<run>", "id of the run or the change, as listed", parseText)
    .option("--reason <text>", "why, for the record", parseText, "settled by staff")
    .action(async (id: string, { reason }: { reason: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ domains, servers }) => {
        const { run } = isOfServers(id)
          ? await servers.abandonServerRun({ run: id, reason })
          : await domains.abandonRun({ run: id, reason });
        return { document: { run }, text: `${run} is ended.\n` };
      });
    });
}

/** A run's id begins with the kind of its process, and each kind belongs to one service. */
function isOfServers(run: string): boolean {
  return run.startsWith("serverorder-") || run.startsWith("serverrenewal-");
}

/** Oldest first; instants sort as texts. */
function byStart(left: admin.Run, right: admin.Run): number {
  return left.startedAt < right.startedAt ? -1 : left.startedAt > right.startedAt ? 1 : 0;
}
