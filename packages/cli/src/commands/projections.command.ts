import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { Io } from "../io.ts";
import { jsonInteger } from "../output/json.ts";
import { listing, type Answer } from "../output/reply.ts";
import { rebuildDeadlineMilliseconds } from "../staff/staff-client.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { addStaffOptions } from "../staff/staff-options.ts";

/** `hostledger projections …`: the read models of a running instance. */
export function addProjectionsCommands(program: Command, context: CommandContext): void {
  const projections = addStaffOptions(
    program.command("projections").description("read models of a running instance"),
  );
  addStatus(projections, context);
  addRebuild(projections, context);
}

function addStatus(projections: Command, context: CommandContext): void {
  projections
    .command("status")
    .description("show how far each read model is")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async (staff) => {
        const rows = (await staff.projections.listProjections({})).projections.map(statusDocument);
        return listing(rows, [
          { heading: "service", cell: (row) => row.service },
          { heading: "name", cell: (row) => row.name },
          { heading: "version", cell: (row) => row.version, align: "right" },
          { heading: "position", cell: (row) => row.position, align: "right" },
          { heading: "behind", cell: (row) => row.behind, align: "right" },
          { heading: "rows", cell: (row) => row.rows, align: "right" },
          { heading: "state", cell: (row) => row.state },
          { heading: "reason", cell: (row) => row.reason },
        ]);
      });
    });
}

function statusDocument(status: admin.ProjectionStatus) {
  return {
    service: status.service,
    name: status.name,
    version: status.version,
    position: jsonInteger(status.position),
    behind: jsonInteger(status.behind),
    rows: jsonInteger(status.rows),
    state: status.state,
    reason: status.reason ?? null,
  };
}

function addRebuild(projections: Command, context: CommandContext): void {
  projections
    .command("rebuild")
    .description("build read models anew from the log, beside the present ones")
    .argument("[name]", "one of them, as listed by status; all without it", "")
    .action(async (name: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async (staff) => {
        const options = { timeoutMs: rebuildDeadlineMilliseconds };
        const rebuilt = await staff.projections.rebuildProjections({ name }, options);
        return rebuildAnswer(rebuilt.projections.map(rebuildDocument), context.io);
      });
    });
}

type RebuildDocument = ReturnType<typeof rebuildDocument>;

function rebuildDocument(rebuilt: admin.RebuiltProjection) {
  return {
    service: rebuilt.service,
    name: rebuilt.name,
    events: jsonInteger(rebuilt.events),
    rows: jsonInteger(rebuilt.rows),
    equal: rebuilt.equal ?? null,
    failure: rebuilt.failure ?? null,
  };
}

function rebuildAnswer(rows: readonly RebuildDocument[], io: Io): Answer {
  // New rows that differ are no failure of the rebuild, but whoever runs it wants to know.
  for (const row of rows.filter(({ equal }) => equal === false)) {
    io.err(`${row.service} ${row.name}: the new rows differ from those it had.\n`);
  }
  const failures = rows.filter(({ failure }) => failure !== null);
  return {
    ...listing(rows, [
      { heading: "service", cell: (row) => row.service },
      { heading: "name", cell: (row) => row.name },
      { heading: "events", cell: (row) => row.events, align: "right" },
      { heading: "rows", cell: (row) => row.rows, align: "right" },
      { heading: "equal", cell: (row) => row.equal },
    ]),
    ...(failures.length === 0 ? {} : { refusal: failures.map(failureSentence).join("\n") }),
  };
}

function failureSentence({ service, name, failure }: RebuildDocument): string {
  return `${service} ${name} could not be rebuilt and stays as it was: ${String(failure)}`;
}
