import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import { parsePosition } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import type { Io } from "../io.ts";
import { jsonInteger } from "../output/json.ts";
import { listing, type Answer } from "../output/reply.ts";
import { answerFromStaff, rebuildDeadlineMilliseconds } from "../staff/staff-command.ts";
import { addStaffOptions } from "../staff/staff-address.ts";

/** `hostledger projections …`: the read models of a running instance. */
export function addProjectionsCommands(program: Command, context: CommandContext): void {
  const projections = addStaffOptions(
    program.command("projections").description("read models of a running instance"),
  );
  addStatus(projections, context);
  addRebuild(projections, context);
  addSkip(projections, context);
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
          { heading: "skipped", cell: (row) => row.skipped.length, align: "right" },
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
    skipped: status.skipped.map(skippedDocument),
    reason: status.reason ?? null,
  };
}

function skippedDocument({ position, stream, eventType, reason, skippedAt }: admin.SkippedEvent) {
  return { position: jsonInteger(position), stream, event_type: eventType, reason, skipped_at: skippedAt };
}

function addSkip(projections: Command, context: CommandContext): void {
  projections
    .command("skip")
    .description(
      "let a read model go past the event that it is parked at; a version that can takes it after all",
    )
    .argument("<name>", "the read model, as listed by status")
    .argument("<position>", "where the event is in the log, as status tells", parsePosition)
    .requiredOption("--reason <text>", "why, for the fact that is recorded")
    .action(async (name: string, position: bigint, { reason }: { reason: string }, command: Command) => {
      await answerFromStaff(context, command, async (staff) => {
        const request = { name, position, reason };
        const { service, name: found, skipped } = await staff.projections.skipProjectionEvent(request);
        const rows = (skipped === undefined ? [] : [skipped]).map(skippedDocument);
        return {
          document: { service, name: found, skipped: rows },
          text: `${service} ${found} goes past the event at ${String(position)}.\n`,
        };
      });
    });
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
