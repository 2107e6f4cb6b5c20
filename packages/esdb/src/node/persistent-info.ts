import type { NodeParts } from "./node-parts.ts";
import type { KnownGroup } from "./persistent-groups.ts";
import { allSource, type StoredGroup } from "./persistent-settings.codec.ts";
import { persistent } from "../codec/protocol.ts";

type Info = InstanceType<typeof persistent.SubscriptionInfo>;

/** What GetInfo and List say of a group. Averages are not measured. */
export async function describeGroup(parts: NodeParts, { group, journal }: KnownGroup): Promise<Info> {
  const { stored, consumers, counts } = group;
  const { settings, source } = stored;
  const isAll = source === allSource;
  const place = (at: bigint): string => (isAll ? `C:${String(at)}/P:${String(at)}` : String(at));
  const last = isAll ? await parts.store.lastPosition() : (await parts.facts.last(source))?.revision;
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
