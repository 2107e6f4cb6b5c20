import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  codecOfCategory,
  counted,
  hostingCodec,
  hostingEvents,
  parsed,
  type Parsed,
  parseId,
  rejection,
  unparsable,
} from "@hostledger/core";
import { contradictionsIn, readableEvent } from "@hostledger/store";
import { openPersonalData, type OpensForReaders } from "@hostledger/store/personal-data";
import type { audit } from "@hostledger/protocol";
import type { Event } from "@hostledger/audit/reports";
import { type AuditorCaller, rejectionError, type StaffCaller, validated } from "@hostledger/rpc";

import type { AuditDependencies } from "../dependencies.ts";
import type { FoundEntry } from "../log.port.ts";
import { auditedEvent } from "./audit.message.ts";
import { eventFilter, type EventFilter } from "./event-filter.ts";
import {
  maximumStreamLength,
  parseCount,
  parseOptional,
  parseOptionalInstant,
  parseShort,
  unanswerable,
} from "./fields.ts";
import { leftOutClause } from "./confirmed-events.ts";
import { admitted } from "./use.ts";

/** Events read between two checks of the credential: one bundle of the log. */
const chunkEvents = 256;
const batchEvents = 256;
/** Characters after which an answer is sent, because events may be large. */
const batchCharacters = 524_288;
/** Events without a match after which the caller gets the progress. */
const quietEvents = 16_384;
/** Maximum parallel reads, because each keeps one batch in memory and reads the log's file. */
export const maximumReadings = 16;
const maximumTypes = 100;

type Batch = MessageInitShape<typeof audit.ReadEventsResponseSchema>;

interface Range {
  readonly first: number;
  readonly end: number;
  readonly limit: number;
}

/** `ReadEvents`: sends filtered events in log order, in batches, at the reader's speed. */
export function readEvents(
  dependencies: AuditDependencies,
): (request: audit.ReadEventsRequest, context: HandlerContext) => AsyncGenerator<Batch> {
  let running = 0;
  return async function* (request, context) {
    const caller = await admitted(dependencies, context, "ReadEvents", subjectOf(request));
    if (request.withRetained) refuseUnlessForTaxes(caller);
    const { filter, range } = await requested(dependencies, request);
    if (running >= maximumReadings)
      throw rejectionError(
        rejection("overloaded", "Too many readings of the log are running.", { retryAfterSeconds: 5 }),
      );
    running += 1;
    // A client that leaves may suspend this generator for ever, so only the signal reports it.
    const release = once(() => (running -= 1));
    context.signal.addEventListener("abort", release);
    try {
      yield* batches(dependencies, {
        filter,
        range,
        asStored: request.asStored,
        withDamage: request.withDamage,
        opens: request.withRetained ? "retained-too" : "personal-data",
        caller,
        context,
      });
    } finally {
      release();
      context.signal.removeEventListener("abort", release);
    }
  };
}

/** @throws ConnectError `unauthorized` */
function refuseUnlessForTaxes(caller: AuditorCaller | StaffCaller): void {
  if (caller.kind === "auditor" || caller.role === "finance" || caller.role === "owner") return;
  throw rejectionError(
    rejection(
      "unauthorized",
      `The role ${caller.role ?? "none"} may not read retained data of erased customers: only auditors and the roles finance and owner may.`,
    ),
  );
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

async function* batches(
  dependencies: AuditDependencies,
  {
    filter,
    range,
    asStored,
    withDamage,
    opens,
    caller,
    context: { signal },
  }: {
    readonly filter: EventFilter;
    readonly range: Range;
    readonly asStored: boolean;
    readonly withDamage: boolean;
    readonly opens: OpensForReaders;
    readonly caller: AuditorCaller | StaffCaller;
    readonly context: HandlerContext;
  },
): AsyncGenerator<Batch> {
  const { log, auditors } = dependencies;
  const { end, limit } = range;
  const isWanted = eventFilter(filter);
  const batch = new OpenBatch(end);
  let [next, found, reported] = [range.first, 0, range.first];
  while (next < end && found < limit) {
    signal.throwIfAborted();
    // The credential may end during the read.
    if (caller.kind === "auditor") await auditors.recheck(caller);
    const chunk = await chunkOf(
      log,
      next,
      Math.min(chunkEvents - (next % chunkEvents), end - next),
      withDamage,
    );
    if (chunk.length === 0) throw new Error(`the log has no event ${String(next)} of ${String(end)}`);
    for (const { event, ...damage } of chunk) {
      next += 1;
      if (damage.damage === undefined && !isWanted(event)) continue;
      batch.add(
        next - 1,
        asStored || damage.damage !== undefined ? event : await judgedEvent(dependencies, event, opens),
        damage,
      );
      found += 1;
      if (found >= limit) break;
      if (batch.isFull) {
        yield batch.take(next);
        reported = next;
      }
    }
    if (next - reported < quietEvents) continue;
    yield batch.take(next);
    reported = next;
  }
  yield batch.take(next);
}

/** Returns an event with readable personal data, and the reason if it does not count in its stream. */
async function judgedEvent(
  { rawStore, subjectKeys, codecOf = codecOfCategory }: AuditDependencies,
  event: FoundEntry["event"],
  opens: OpensForReaders,
): Promise<Event> {
  const leftOut = await contradictionsIn(rawStore, codecOf).leftOut(event);
  const opened = await openPersonalData(event, subjectKeys, opens);
  return leftOut === undefined ? opened : { ...opened, leftOut: leftOutClause(event, leftOut) };
}

/** Returns events by their leaves; on request also damaged ones, as the store has them now. */
async function chunkOf(
  log: AuditDependencies["log"],
  first: number,
  count: number,
  withDamage: boolean,
): Promise<readonly FoundEntry[]> {
  if (withDamage) return log.entriesAsFound(first, count);
  return (await log.entries(first, count)).map((event) => ({ event }));
}

class OpenBatch {
  readonly #end: number;
  #events: ReturnType<typeof auditedEvent>[] = [];
  #characters = 0;

  constructor(end: number) {
    this.#end = end;
  }

  get isFull(): boolean {
    return this.#events.length >= batchEvents || this.#characters >= batchCharacters;
  }

  add(index: number, event: Parameters<typeof auditedEvent>[1], damage: Omit<FoundEntry, "event">): void {
    this.#events.push({ ...auditedEvent(index, event), ...damage });
    this.#characters += event.data.length + event.metadata.length;
  }

  take(next: number): Batch {
    const events = this.#events;
    this.#events = [];
    this.#characters = 0;
    return { events, nextIndex: BigInt(next), endIndex: BigInt(this.#end) };
  }
}

/** @throws ConnectError `validation-failed` */
async function requested(
  { log, store }: AuditDependencies,
  request: audit.ReadEventsRequest,
): Promise<{ readonly filter: EventFilter; readonly range: Range }> {
  const fields = validated({
    stream: parseOptional(request.stream, (text) => parseShort(text, maximumStreamLength, false)),
    accountId: parseOptional(request.accountId, parseId),
    fromTime: parseOptionalInstant(request.fromTime, "first"),
    toTime: parseOptionalInstant(request.toTime, "first"),
    types: parseTypes(request.types),
    firstIndex: parseCount(request.firstIndex),
    endIndex: parseOptional(request.endIndex, parseCount),
    limit: parseCount(request.limit),
  });
  const { stream, accountId, fromTime, toTime, types, firstIndex, endIndex, limit } = fields;
  const { size } = log;
  if (firstIndex > size || (endIndex ?? 0) > size)
    throw unanswerable(`The log has ${counted(size, "event")}: there is none after them yet.`);
  const range = { first: firstIndex, end: endIndex ?? size, limit: limit === 0 ? Infinity : limit };
  const accountRuns =
    accountId === undefined || firstIndex === 0 ? new Set<string>() : await chargesOf(store, accountId);
  return { filter: { stream, accountId, fromTime, toTime, types, accountRuns }, range };
}

/** Returns the charges of an account, which are named after the runs that made them. */
async function chargesOf(store: AuditDependencies["store"], accountId: number): Promise<Set<string>> {
  const charges = new Set<string>();
  for await (const recorded of store.read(`account-${String(accountId)}`)) {
    if (!recorded.type.startsWith("BalanceCharged.")) continue;
    const event = readableEvent(hostingCodec, recorded)?.event;
    if (event?.type === "BalanceCharged") charges.add(event.data.chargeId);
  }
  return charges;
}

/** Refuses an unknown type, because an empty answer would mean that no such event exists. */
function parseTypes(types: readonly string[]): Parsed<ReadonlySet<string>> {
  if (types.length > maximumTypes) return unparsable(`must be at most ${String(maximumTypes)} types`);
  const unknown = types.find((type) => !Object.hasOwn(hostingEvents, type));
  return unknown === undefined
    ? parsed(new Set(types))
    : unparsable(`must be types of events, for example BalanceCharged, not "${unknown.slice(0, 100)}"`);
}

function subjectOf({ stream, accountId, firstIndex }: audit.ReadEventsRequest): string {
  if (stream !== undefined) return `stream ${stream}`;
  return accountId === undefined ? `from index ${String(firstIndex)}` : `account ${String(accountId)}`;
}
