import { nextMicrosecond, timelineLine } from "@hostledger/audit/reports";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { parseCount, parseId, parseText } from "../../arguments/value-parsers.ts";
import { askAudit } from "../../audit/audit-command.ts";
import { auditedEvents, type AuditedEvent, type EventFilter } from "../../audit/audited-events.ts";
import { parseFrom, parseUntil, refuseReversed } from "../../audit/instant-parsers.ts";
import type { CommandContext } from "../../command-context.ts";
import { refused, wrongUsage } from "../../exit-code.ts";
import { jsonText } from "../../output/json.ts";

interface EventsOptions {
  readonly stream?: string;
  readonly account?: bigint;
  readonly from?: string;
  readonly to?: string;
  readonly type?: readonly string[];
  readonly limit?: number;
  readonly asStored: boolean;
  readonly json?: boolean;
}

/** Adds `audit events`, which prints events in log order as sentences or NDJSON. */
export function addEventsCommand(audit: Command, context: CommandContext): void {
  audit
    .command("events")
    .description("print events in log order: a line each, with --json an NDJSON document each")
    .option("--stream <name>", "only this stream, for example domain-example.com", parseText)
    .option("--account <id>", "only events about this account", parseId)
    .option(
      "--from <instant>",
      "only events stored at this instant or later; a date means its midnight, UTC",
      parseFrom,
    )
    .option(
      "--to <instant>",
      "only events stored up to this instant; a date means the end of that day, UTC",
      parseUntil,
    )
    .option("--type <types...>", "only events of these types, for example BalanceCharged")
    .option("--limit <count>", "largest number of events to print", parseCount)
    .option(
      "--as-stored",
      "print data and metadata as text, exactly as the store has them and the log hashes them",
      false,
    )
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<EventsOptions>();
      const write = options.json === true ? ndjson(options.asStored) : timelineLine;
      if (options.asStored && options.json !== true)
        throw wrongUsage("--as-stored shows data and metadata, which the lines leave out: add --json.");
      const filter = filterOf(options);
      const found = await askAudit(context, command, async (client) => {
        let count = 0;
        for await (const event of auditedEvents(client, filter)) {
          context.io.out(write(event));
          count += 1;
        }
        return count;
      });
      if (found === 0) throw refused("There is no such event.");
    });
}

function filterOf({ stream, account, from, to, type = [], limit = 0, asStored }: EventsOptions): EventFilter {
  refuseReversed(from, to, "--to");
  return {
    types: type.flatMap((list) => list.split(",")).filter((name) => name !== ""),
    limit: BigInt(limit),
    asStored,
    ...defined({ stream, accountId: account, fromTime: from }),
    // The service's end is exclusive.
    ...defined({ toTime: to === undefined ? undefined : nextMicrosecond(to) }),
  };
}

/** Formats events as NDJSON. `asStored` prints data as the exact text that was hashed, instead of as JSON. */
function ndjson(asStored: boolean): (event: AuditedEvent) => string {
  const written = asStored ? (text: string): unknown => text : parsedJson;
  return ({ index, stream, revision, id, type, time, data, metadata, leftOut }) => {
    const place = { index: Number(index), stream, revision: Number(revision), id, type, time };
    const left = leftOut === undefined ? {} : { left_out: leftOut };
    return `${jsonText({ ...place, data: written(data), metadata: written(metadata), ...left })}\n`;
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
