import { randomUUID } from "node:crypto";

import { status } from "@grpc/grpc-js";
import type {
  CreateReq,
  DeleteReq,
  GetInfoReq,
  ListReq,
  ReadReq,
  ReadResp,
  ReplayParkedReq,
  UpdateReq,
} from "@eventstore/db-client/generated/persistent_pb.js";

import { encodePersistentEvent } from "../codec/read-answer.codec.ts";
import { Refusal } from "../codec/refusal.ts";
import { decodeStreamName, decodeUuid, required } from "../codec/wire-values.codec.ts";
import type { Consumer } from "./group-consumers.ts";
import type { GrpcCall } from "./grpc-call.ts";
import type { NodeParts } from "./node-parts.ts";
import type { NackAction, PersistentGroup } from "./persistent-group.ts";
import { groupError, type KnownGroup, type PersistentGroups } from "./persistent-groups.ts";
import { allSource, decodeGroup, groupName, type StoredGroup } from "./persistent-settings.codec.ts";
import { persistent } from "../codec/protocol.ts";

type Info = InstanceType<typeof persistent.SubscriptionInfo>;

/** Answer of GetInfo and List about a group. Averages are not measured. */
async function describeGroup(parts: NodeParts, { group, journal }: KnownGroup): Promise<Info> {
  const { stored, consumers, counts } = group;
  const { settings, source } = stored;
  const isAll = source === allSource;
  const place = (at: bigint): string => (isAll ? `C:${String(at)}/P:${String(at)}` : String(at));
  const last = isAll ? await parts.store.lastPosition() : (await parts.events.last(source))?.revision;
  const info = new persistent.SubscriptionInfo()
    .setEventSource(source)
    .setGroupName(stored.group)
    .setStatus("Live")
    .setStartFrom(startFrom(stored))
    .setTotalItems(String(group.totalMessages))
    .setCountSinceLastMeasurement("0")
    .setLastCheckpointedEventPosition(group.checkpoint > stored.after ? place(group.checkpoint) : "")
    .setLastKnownEventPosition(last === undefined ? "" : place(last))
    .setResolveLinkTos(settings.resolveLinks)
    .setExtraStatistics(settings.extraStatistics)
    .setMessageTimeoutMilliseconds(settings.messageTimeoutMilliseconds)
    .setCheckPointAfterMilliseconds(settings.checkpointAfterMilliseconds)
    .setMaxRetryCount(settings.maxRetryCount)
    .setMinCheckPointCount(settings.minCheckpointCount)
    .setMaxCheckPointCount(settings.maxCheckpointCount)
    .setMaxSubscriberCount(settings.maxSubscriberCount)
    .setLiveBufferSize(settings.liveBufferSize)
    .setBufferSize(settings.historyBufferSize)
    .setReadBatchSize(settings.readBatchSize)
    .setNamedConsumerStrategy(settings.strategy)
    .setReadBufferCount(counts.buffered)
    .setLiveBufferCount("0")
    .setRetryBufferCount(counts.retrying)
    .setTotalInFlightMessages(counts.inFlight)
    .setOutstandingMessagesCount(counts.inFlight)
    .setParkedMessageCount(String(await journal.parkedCount()));
  for (const consumer of consumers) {
    const inFlight = group.inFlightOf(consumer);
    info.addConnections(
      new persistent.SubscriptionInfo.ConnectionInfo()
        .setFrom(consumer.from)
        .setConnectionName(consumer.name)
        .setTotalItems("0")
        .setCountSinceLastMeasurement("0")
        .setInFlightMessages(inFlight)
        .setAvailableSlots(consumer.mostInFlight - inFlight),
    );
  }
  return info;
}

function startFrom({ source, from }: StoredGroup): string {
  if (source !== allSource) return from === "start" ? "0" : from === "end" ? "-1" : String(from);
  const at = from === "start" ? "0" : from === "end" ? "-1" : String(from);
  return `C:${at}/P:${at}`;
}

const inFlightLimit = 1_000;
const parkedLimit = 10_000;
const nackActions: readonly NackAction[] = ["retry", "park", "retry", "skip", "stop"];

type Answer<Message> = Promise<Message>;
type StreamOption = Pick<DeleteReq.Options, "hasAll" | "getStreamIdentifier">;

/** Answers the requests of PersistentSubscriptions; only writers may change a group. */
export class PersistentHandlers {
  readonly #parts: NodeParts;
  readonly #groups: PersistentGroups;

  constructor(parts: NodeParts, groups: PersistentGroups) {
    this.#parts = parts;
    this.#groups = groups;
  }

  async create(request: CreateReq): Answer<InstanceType<typeof persistent.CreateResp>> {
    await this.#groups.create(decodeGroup(request));
    return new persistent.CreateResp();
  }

  async update(request: UpdateReq): Answer<InstanceType<typeof persistent.UpdateResp>> {
    await this.#groups.update(decodeGroup(request));
    return new persistent.UpdateResp();
  }

  async delete(request: DeleteReq): Answer<InstanceType<typeof persistent.DeleteResp>> {
    const options = required(request.getOptions(), "options");
    await this.#groups.delete(sourceOf(options), groupName(options.getGroupName()));
    return new persistent.DeleteResp();
  }

  async getInfo(request: GetInfoReq): Answer<InstanceType<typeof persistent.GetInfoResp>> {
    const options = required(request.getOptions(), "options");
    const known = await this.#groups.find(sourceOf(options), options.getGroupName());
    return new persistent.GetInfoResp().setSubscriptionInfo(await describeGroup(this.#parts, known));
  }

  async list(request: ListReq): Answer<InstanceType<typeof persistent.ListResp>> {
    const option = request.getOptions()?.getListForStream();
    const source =
      option === undefined ? undefined : option.hasAll() ? allSource : decodeStreamName(option.getStream());
    const known = await this.#groups.list(source);
    if (known.length === 0 && source !== undefined) {
      throw groupError(
        status.NOT_FOUND,
        "persistent-subscription-does-not-exist",
        source,
        "",
        "does not exist",
      );
    }
    const answer = new persistent.ListResp();
    for (const group of known) answer.addSubscriptions(await describeGroup(this.#parts, group));
    return answer;
  }

  async replayParked(request: ReplayParkedReq): Answer<InstanceType<typeof persistent.ReplayParkedResp>> {
    const options = required(request.getOptions(), "options");
    const { group, journal } = await this.#groups.find(sourceOf(options), options.getGroupName());
    const wanted = options.hasStopAt() ? Number(options.getStopAt()) : parkedLimit;
    group.replay(await journal.unpark(Math.min(wanted, parkedLimit)));
    return new persistent.ReplayParkedResp();
  }

  /** A connected consumer sends its options first, then its acknowledgements. */
  async read(call: GrpcCall<ReadReq, ReadResp>): Promise<void> {
    this.#parts.authority.checkMayWrite(call.metadata);
    await this.#parts.subscriptions.hold(() => this.#consume(call));
  }

  async #consume(call: GrpcCall<ReadReq, ReadResp>): Promise<void> {
    let connected: { group: PersistentGroup; consumer: Consumer } | undefined;
    const { promise: dropped, resolve, reject } = Promise.withResolvers<undefined>();
    const drop = (error?: Error): void => {
      if (error === undefined) resolve(undefined);
      else reject(error);
    };
    const leave = (): void => {
      drop();
    };
    const close = (): void => {
      drop(new Refusal(status.UNAVAILABLE, "the node is shutting down"));
    };
    const takeAll = async (): Promise<void> => {
      for await (const message of call.requests()) {
        const options = message.getOptions();
        if (connected !== undefined) await settle(connected, message);
        else if (options !== undefined) connected = await this.#connect(call, options, drop);
      }
    };
    call.signal.addEventListener("abort", leave);
    this.#parts.closing.addEventListener("abort", close);
    try {
      await Promise.race([takeAll(), dropped]);
    } finally {
      this.#parts.closing.removeEventListener("abort", close);
      connected?.group.disconnect(connected.consumer);
    }
  }

  async #connect(
    call: GrpcCall<ReadReq, ReadResp>,
    options: ReadReq.Options,
    drop: (error?: Error) => void,
  ): Promise<{ group: PersistentGroup; consumer: Consumer }> {
    const source = sourceOf(options);
    const name = options.getGroupName();
    const { group } = await this.#groups.find(source, name);
    const { maxSubscriberCount } = group.stored.settings;
    if (maxSubscriberCount > 0 && group.consumers.length >= maxSubscriberCount) {
      throw groupError(
        status.FAILED_PRECONDITION,
        "maximum-subscribers-reached",
        source,
        name,
        "has all its subscribers",
      );
    }
    const consumer: Consumer = {
      mostInFlight: Math.min(Math.max(1, options.getBufferSize()), inFlightLimit),
      from: call.peer,
      name: String(call.metadata.get("connection-name")[0] ?? ""),
      // At most `mostInFlight` messages are unanswered, which limits the buffer.
      send: ({ resolved, retries }) => {
        if (!call.cancelled) call.write(encodePersistentEvent(resolved, retries));
      },
      drop: () => {
        drop(groupError(status.CANCELLED, "persistent-subscription-dropped", source, name, "was dropped"));
      },
    };
    const confirmation = new persistent.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
    call.write(new persistent.ReadResp().setSubscriptionConfirmation(confirmation));
    group.connect(consumer);
    return { group, consumer };
  }
}

async function settle(
  { group, consumer }: { group: PersistentGroup; consumer: Consumer },
  message: ReadReq,
): Promise<void> {
  const acknowledged = message.getAck();
  if (acknowledged !== undefined) group.acknowledge(consumer, acknowledged.getIdsList().map(decodeUuid));
  const refused = message.getNack();
  if (refused === undefined) return;
  const action = nackActions[refused.getAction()] ?? "retry";
  await group.refuse(consumer, action, refused.getReason(), refused.getIdsList().map(decodeUuid));
}

function sourceOf(options: StreamOption): string {
  return options.hasAll() ? allSource : decodeStreamName(options.getStreamIdentifier());
}
