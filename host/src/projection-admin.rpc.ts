import type { ServiceImpl } from "@connectrpc/connect";
import { parseLine, parsed, rejection, type Parsed } from "@hostledger/core";
import { ReadModelError, type ProjectionStatus, type Projector, type RebuildReport } from "@hostledger/read";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requestContextOf, validated, type WithContextValues } from "@hostledger/rpc";
import { defined, type Clock } from "@hostledger/runtime";

import type { ListedStop, StoppedStreams } from "./stopped-streams.ts";

/** The projectors of the services in this process, by the service's name. */
export type Projectors = Readonly<Record<string, Projector>>;

/** Creates the staff's handlers about read models and stopped streams. */
export function projectionAdminRpc(
  projectors: Projectors,
  stopped: Pick<StoppedStreams, "list" | "mend">,
  clock: Pick<Clock, "now">,
): ServiceImpl<typeof admin.ProjectionAdminService> {
  async function mend(stream: string, revision: bigint, reason: string, context: WithContextValues) {
    const word = { reason, context: requestContextOf(context) };
    const event = await stopped.mend(stream, revision, word);
    if (event === undefined) throw nothingToMend(stream, revision);
    return event;
  }

  return {
    async listProjections() {
      const lists = await Promise.all(
        Object.entries(projectors).map(async ([service, projector]) =>
          (await projector.status()).map((status) => statusMessage(service, status)),
        ),
      );
      return { projections: lists.flat() };
    },

    async rebuildProjections({ name }, context) {
      const wanted = Object.entries(projectors).filter(
        ([, projector]) => name === "" || projector.health().some((projection) => projection.name === name),
      );
      if (wanted.length === 0) throw rejectionError(rejection("projection-not-found"));
      const projections = [];
      for (const [service, projector] of wanted) {
        const reports = await orRefused(projector.rebuild(name === "" ? undefined : name, context.signal));
        projections.push(...reports.map((report) => reportMessage(service, report)));
      }
      return { projections };
    },

    listStoppedStreams() {
      return { streams: stopped.list().map(stopMessage) };
    },

    async mendStream(request, context) {
      const { stream, revision, reason } = validated({
        stream: parseLine(request.stream, longestStream),
        revision: parseRevision(request.revision),
        reason: parseLine(request.reason, maximumReasonLength),
      });
      const { type } = await mend(stream, revision, reason, context);
      return { eventType: type.slice(0, longestType) };
    },

    async skipProjectionEvent(request, context) {
      const { reason } = validated({ reason: parseLine(request.reason, maximumReasonLength) });
      const named = projectionsNamed(projectors, request.name);
      if (named.length === 0) throw rejectionError(rejection("projection-not-found"));
      // Two services may have a read model of this name: chooses the one that stopped there.
      const meant = named.find(({ stops }) => stops.some(({ position }) => position === request.position));
      const stop = meant?.stops.find(({ position }) => position === request.position);
      if (meant === undefined || stop === undefined) throw notStoppedThere(request.name, request.position);
      const { service, name } = meant;
      const { type } = await mend(stop.stream, stop.revision, reason, context);
      const { position } = request;
      const skippedAt = clock.now();
      return {
        service,
        name,
        skipped: { position, stream: stop.stream, eventType: type, reason, skippedAt },
      };
    },
  };
}

const maximumReasonLength = 1_000;
/** Maximum characters of a stream's name. */
const longestStream = 500;
const longestType = 200;

/** The read models of a name, which may say the service too: `invoices`, `account.invoices`. */
function projectionsNamed(projectors: Projectors, asked: string) {
  return Object.entries(projectors).flatMap(([service, projector]) =>
    projector
      .health()
      .filter(({ name }) => name === asked || `${service}.${name}` === asked)
      .map(({ name }) => ({
        service,
        name,
        stops: projector.stopped().filter(({ projection }) => projection === name),
      })),
  );
}

function parseRevision(revision: bigint): Parsed<bigint> {
  if (revision >= 0n && revision <= BigInt(Number.MAX_SAFE_INTEGER)) return parsed(revision);
  return { ok: false, error: "must be the revision of an event in its stream, from 0" };
}

function nothingToMend(stream: string, revision: bigint): Error {
  const sentence = `Event ${String(revision)} of ${stream} can be read, or is not there: see \`hostledger projections stopped\`.`;
  const fieldErrors = { revision: ["is not an event that cannot be read"] };
  return rejectionError(rejection("validation-failed", sentence, { fieldErrors }));
}

function notStoppedThere(name: string, position: bigint): Error {
  const sentence = `${name} does not stand still at the position ${String(position)}: see \`hostledger projections stopped\`.`;
  const fieldErrors = { position: ["is not where the read model stands still"] };
  return rejectionError(rejection("validation-failed", sentence, { fieldErrors }));
}

/** Converts a projector's refusal to a sentence for staff: it is no bug and contains no secret. */
async function orRefused<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ReadModelError)) throw error;
    throw notNow(`${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1)}.`);
  }
}

function notNow(sentence: string): Error {
  return rejectionError(rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 }));
}

function stopMessage({ type: eventType, readModels, ...stop }: ListedStop) {
  return { ...stop, eventType, readModels: [...readModels] };
}

function statusMessage(service: string, status: ProjectionStatus) {
  return {
    service,
    name: status.name,
    version: status.version,
    position: status.position ?? 0n,
    behind: status.behind,
    rows: BigInt(status.rows),
    state: status.state,
    stoppedStreams: status.stopped.length,
    ...defined({ reason: status.reason }),
  };
}

function reportMessage(service: string, { name, events, rows, equal, failure }: RebuildReport) {
  return {
    service,
    name,
    events: BigInt(events),
    rows: BigInt(rows),
    ...defined({ equal, failure }),
  };
}
