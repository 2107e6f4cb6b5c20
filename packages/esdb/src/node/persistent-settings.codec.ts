import { status } from "@grpc/grpc-js";
import type { CreateReq, UpdateReq } from "@eventstore/db-client/generated/persistent_pb.js";

import { decodeFilter, type Begin, type FilterRequest } from "../codec/read-request.codec.ts";
import { Refusal } from "../codec/refusal.ts";
import { decodeStreamName, required } from "../codec/wire-values.codec.ts";

/** Rules for delivering messages to the consumers of a group. */
export type ConsumerStrategy = "DispatchToSingle" | "RoundRobin" | "Pinned";

/** Settings of a group. Times are in milliseconds, counts in events. */
export interface GroupSettings {
  readonly resolveLinks: boolean;
  readonly extraStatistics: boolean;
  readonly messageTimeoutMilliseconds: number;
  readonly checkpointAfterMilliseconds: number;
  readonly maxRetryCount: number;
  readonly minCheckpointCount: number;
  readonly maxCheckpointCount: number;
  /** 0 means no limit. */
  readonly maxSubscriberCount: number;
  readonly liveBufferSize: number;
  readonly readBatchSize: number;
  readonly historyBufferSize: number;
  readonly strategy: ConsumerStrategy;
}

/** A client's request for a group. `$all` is a source like a stream. */
export interface GroupRequest {
  readonly source: string;
  readonly group: string;
  readonly from: Begin;
  readonly settings: GroupSettings;
  readonly filter: FilterRequest | undefined;
}

/** Source that stands for the log of all streams. */
export const allSource = "$all";

const strategies: readonly ConsumerStrategy[] = ["DispatchToSingle", "RoundRobin", "Pinned"];
const endRevision = "18446744073709551615";
const groupNameLimit = 200;

export function decodeGroup(request: CreateReq | UpdateReq): GroupRequest {
  const options = required<CreateReq.Options | UpdateReq.Options>(request.getOptions(), "options");
  const settings = required<CreateReq.Settings | UpdateReq.Settings>(options.getSettings(), "settings");
  const group = groupName(options.getGroupName());
  const all = options.getAll();
  if (all !== undefined) {
    const filter = "getFilter" in all ? all.getFilter() : undefined;
    return {
      source: allSource,
      group,
      from: beginning(all.hasEnd(), all.getPosition()?.getCommitPosition()),
      settings: decodeSettings(settings),
      filter: filter === undefined ? undefined : decodeFilter(filter),
    };
  }
  const stream = options.getStream();
  const named = stream?.getStreamIdentifier() ?? options.getStreamIdentifier();
  const revision = stream === undefined ? settings.getRevision() : stream.getRevision();
  const isEnd = stream?.hasEnd() ?? revision === endRevision;
  return {
    source: decodeStreamName(named),
    group,
    from: beginning(isEnd, revision),
    settings: decodeSettings(settings),
    filter: undefined,
  };
}

function beginning(isEnd: boolean, from: string | undefined): Begin {
  if (isEnd) return "end";
  return from === undefined || BigInt(from) === 0n ? "start" : BigInt(from);
}

/** @throws Refusal for a name that cannot be part of a system stream's name. */
export function groupName(name: string): string {
  if (name === "" || name.length > groupNameLimit) {
    throw new Refusal(
      status.INVALID_ARGUMENT,
      `a group's name has 1 to ${String(groupNameLimit)} characters`,
    );
  }
  return name;
}

function decodeSettings(settings: CreateReq.Settings | UpdateReq.Settings): GroupSettings {
  return {
    resolveLinks: settings.getResolveLinks(),
    extraStatistics: settings.getExtraStatistics(),
    messageTimeoutMilliseconds: settings.hasMessageTimeoutTicks()
      ? Number(settings.getMessageTimeoutTicks()) / 10_000
      : settings.getMessageTimeoutMs(),
    checkpointAfterMilliseconds: settings.hasCheckpointAfterTicks()
      ? Number(settings.getCheckpointAfterTicks()) / 10_000
      : settings.getCheckpointAfterMs(),
    maxRetryCount: settings.getMaxRetryCount(),
    minCheckpointCount: settings.getMinCheckpointCount(),
    maxCheckpointCount: settings.getMaxCheckpointCount(),
    maxSubscriberCount: settings.getMaxSubscriberCount(),
    liveBufferSize: settings.getLiveBufferSize(),
    readBatchSize: settings.getReadBatchSize(),
    historyBufferSize: settings.getHistoryBufferSize(),
    strategy: strategies[settings.getNamedConsumerStrategy()] ?? "RoundRobin",
  };
}

/** A stored group: the request, and the end of the source at creation. Numbers above 2^53 are texts. */
export interface StoredGroup extends GroupRequest {
  /** Events after this revision or position (exclusive) belong to the group. */
  readonly after: bigint;
}

/** The stored form of a group. */
export function writeGroup(group: StoredGroup): string {
  return JSON.stringify({ ...group, from: String(group.from), after: String(group.after) });
}

/** Reads the output of `writeGroup`; only the node writes these texts. */
export function readGroup(text: string): StoredGroup {
  const stored = JSON.parse(text) as Omit<StoredGroup, "from" | "after"> & { from: string; after: string };
  const from = stored.from === "start" || stored.from === "end" ? stored.from : BigInt(stored.from);
  return { ...stored, from, after: BigInt(stored.after), filter: stored.filter };
}
