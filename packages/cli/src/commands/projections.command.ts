import { admin } from "@hostledger/protocol";
import type { Command } from "commander";

import { parsePosition } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import type { Io } from "../io.ts";
import { jsonInteger } from "../output/json.ts";
import { documentOf, viewOf } from "../output/message-document.ts";
import { listing, type Answer } from "../output/reply.ts";
import { argument, argumentOr, required } from "../staff/command-line.codec.ts";
import { addStaffOptions } from "../staff/staff-address.ts";
import { rebuildDeadlineMilliseconds } from "../staff/staff-command.ts";
import { call, custom, type CommandRow } from "../staff/staff-table.ts";

const { listProjections, listStoppedStreams, mendStream, skipProjectionEvent } =
  admin.ProjectionAdminService.method;

const readModels = viewOf(
  admin.ProjectionStatusSchema,
  {
    service: "service",
    name: "name",
    version: "version",
    position: "position",
    behind: "behind",
    rows: "rows",
    state: "state",
    stopped: "stoppedStreams",
    reason: "reason",
  },
  (status) => ({
    ...documentOf(admin.ProjectionStatusSchema, status),
    // Always empty since staff mend streams for all read models; the key remains for readers of the JSON.
    skipped: [],
  }),
);

const stops = viewOf(admin.StoppedStreamSchema, {
  stream: "stream",
  revision: "revision",
  type: "eventType",
  kind: "kind",
  since: "since",
  "read models": ({ readModels: names }) => names.join(", "),
  reason: "reason",
});

const reason = required("--reason <text>", "why, for the event that is recorded", String);

const goesOn = (stream: string, without: string): string =>
  `${stream} goes on without ${without}. Read models are built anew beside the present ones.\n`;

const rows: readonly CommandRow[] = [
  call(["status", "show the progress of each read model"], listProjections, {
    answer: ({ projections }) => readModels.list(projections),
  }),
  custom(
    ["rebuild", "rebuild read models from the log, beside the present ones"],
    {
      name: argumentOr("[name]", "name of a read model, as listed by status; default: all", ""),
    },
    async (staff, { name }, { io }) => {
      const options = { timeoutMs: rebuildDeadlineMilliseconds };
      const { projections } = await staff.projections.rebuildProjections({ name }, options);
      return rebuildAnswer(projections.map(rebuildDocument), io);
    },
  ),
  call(["stopped", "list the streams that are stopped at an unreadable event"], listStoppedStreams, {
    answer: ({ streams }) => stops.list(streams),
  }),
  call(
    ["mend", "skip an unreadable event in all read models; a later version that can read the event uses it"],
    mendStream,
    {
      inputs: {
        stream: argument("<stream>", "the stopped stream, as listed by stopped", String),
        revision: argument("<revision>", "the revision of the event in it", parsePosition),
        reason,
      },
      document: ({ eventType }, { stream = "", revision = 0n }) => ({
        stream,
        revision: jsonInteger(revision),
        event_type: eventType,
      }),
      text: ({ eventType }, { stream = "", revision }) =>
        goesOn(stream, `event ${String(revision)} (${eventType})`),
    },
  ),
  call(
    ["skip", "mend the event at which a read model stops, by its position in the log"],
    skipProjectionEvent,
    {
      inputs: {
        name: argument("<name>", "the read model, as listed by status", String),
        position: argument("<position>", "the event's position, as `stopped --json` shows it", parsePosition),
        reason,
      },
      document: ({ service, name, skipped }) => ({
        service,
        name,
        skipped: skipped === undefined ? [] : [documentOf(admin.SkippedEventSchema, skipped)],
      }),
      text: ({ skipped }) =>
        goesOn(skipped?.stream ?? "The stream", `the event at ${String(skipped?.position)}`),
    },
  ),
];

export function addProjectionsCommands(program: Command, context: CommandContext): void {
  const projections = addStaffOptions(
    program.command("projections").description("read models of a running instance"),
  );
  for (const addRow of rows) addRow(projections, context);
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
  // Differing new rows are no failure, but the operator should see them.
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
