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
  addStopped(projections, context);
  addMend(projections, context);
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
          { heading: "stopped", cell: (row) => row.stopped_streams, align: "right" },
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
    // Staff mend streams now, for all read models: the list stays for those who read the JSON.
    skipped: [],
    stopped_streams: status.stoppedStreams,
    reason: status.reason ?? null,
  };
}

function addStopped(projections: Command, context: CommandContext): void {
  projections
    .command("stopped")
    .description("list the streams that stand still before an event that cannot be read")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async (staff) => {
        const rows = (await staff.projections.listStoppedStreams({})).streams.map(stopDocument);
        return listing(rows, [
          { heading: "stream", cell: (row) => row.stream },
          { heading: "revision", cell: (row) => row.revision, align: "right" },
          { heading: "type", cell: (row) => row.event_type },
          { heading: "kind", cell: (row) => row.kind },
          { heading: "since", cell: (row) => row.since },
          { heading: "read models", cell: (row) => row.read_models.join(", ") },
          { heading: "reason", cell: (row) => row.reason },
        ]);
      });
    });
}

function stopDocument(stop: admin.StoppedStream) {
  const { stream, revision, position, eventId, eventType, kind, since, reason, readModels } = stop;
  return {
    stream,
    revision: jsonInteger(revision),
    position: jsonInteger(position),
    event_id: eventId,
    event_type: eventType,
    kind,
    since,
    reason,
    read_models: readModels,
  };
}

function addMend(projections: Command, context: CommandContext): void {
  projections
    .command("mend")
    .description(
      "have an event passed over, everywhere, that cannot be read; a version that can read it does so",
    )
    .argument("<stream>", "the stream that stands still, as listed by stopped")
    .argument("<revision>", "the revision of the event in it", parsePosition)
    .requiredOption("--reason <text>", "why, for the event that is recorded")
    .action(async (stream: string, revision: bigint, { reason }: { reason: string }, command: Command) => {
      await answerFromStaff(context, command, async (staff) => {
        const { eventType } = await staff.projections.mendStream({ stream, revision, reason });
        return {
          document: { stream, revision: jsonInteger(revision), event_type: eventType },
          text: `${stream} goes on without event ${String(revision)} (${eventType}). Read models are built anew beside the present ones.\n`,
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
