import type { ServiceImpl } from "@connectrpc/connect";
import { parseLine, rejection, type SkippedEvent } from "@hostledger/core";
import {
  ReadModelError,
  type ProjectionStatus,
  type Projector,
  type RebuildReport,
} from "@hostledger/projections";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requestContextOf, requireStaff, validated } from "@hostledger/rpc";
import { defined, type Clock } from "@hostledger/runtime";

/** The projectors of the services in this process, by the service's name. */
export type Projectors = Readonly<Record<string, Projector>>;

/** What staff may see and do about read models. */
export function projectionAdminRpc(
  projectors: Projectors,
  clock: Pick<Clock, "now">,
): ServiceImpl<typeof admin.ProjectionAdminService> {
  return {
    async listProjections(_request, context) {
      requireStaff(context);
      const lists = await Promise.all(
        Object.entries(projectors).map(async ([service, projector]) =>
          (await projector.status()).map((status) => statusMessage(service, status)),
        ),
      );
      return { projections: lists.flat() };
    },

    async rebuildProjections({ name }, context) {
      requireStaff(context);
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

    async skipProjectionEvent(request, context) {
      requireStaff(context);
      const { reason } = validated({ reason: parseLine(request.reason, maximumReasonLength) });
      const named = projectionsNamed(projectors, request.name);
      if (named.length === 0) throw rejectionError(rejection("projection-not-found"));
      // Two services may have a read model of one name: the one that stands still there is meant.
      const parked = named.map((each) => ({ ...each, at: each.projector.parkedAt(each.name) }));
      const meant = parked.find(({ at }) => at === request.position);
      if (meant === undefined)
        throw parked.some(({ at }) => at === "elsewhere")
          ? notNow(`Another process keeps ${request.name}: ask that one, or ask again.`)
          : notParkedThere(request.name, request.position);
      const { service, name, projector } = meant;
      const word = { reason, at: clock.now(), context: requestContextOf(context) };
      const skipped = await orRefused(projector.skip(name, request.position, word));
      return { service, name, skipped: skippedMessage(skipped) };
    },
  };
}

const maximumReasonLength = 1_000;

/** The read models of a name, which may say the service too: `invoices`, `account.invoices`. */
function projectionsNamed(projectors: Projectors, asked: string) {
  return Object.entries(projectors).flatMap(([service, projector]) =>
    projector
      .health()
      .filter(({ name }) => name === asked || `${service}.${name}` === asked)
      .map(({ name }) => ({ service, name, projector })),
  );
}

function notParkedThere(name: string, position: bigint): Error {
  const sentence = `${name} does not stand still at the position ${String(position)}: see \`hostledger projections status\`.`;
  const fieldErrors = { position: ["is not where the read model stands still"] };
  return rejectionError(rejection("validation-failed", sentence, { fieldErrors }));
}

/** Tells staff why a projector does not do now what they ask for: it is no bug, and none of it is a secret. */
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

function skippedMessage({ position, stream, eventType, reason, skippedAt }: SkippedEvent) {
  return { position: BigInt(position), stream, eventType, reason, skippedAt };
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
    skipped: status.skipped.map(skippedMessage),
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
