import { randomUUID } from "node:crypto";

import { encodeUuid } from "../codec/wire-values.codec.ts";
import {
  features,
  gossip,
  PersistentSubscriptionsService,
  ServerFeaturesService,
  GossipService,
  StreamsService,
} from "../codec/protocol.ts";

/** Version whose behaviour this node has; clients choose their requests by it. */
const version = "23.10.8";

/** Optional features by method. Without them clients would use HTTP, which this node does not serve. */
const methodFeatures: Readonly<Record<string, readonly string[]>> = {
  read: ["position", "events"],
  create: ["stream", "all"],
  update: ["stream", "all"],
  delete: ["stream", "all"],
  getinfo: ["stream", "all"],
  replayparked: ["stream", "all"],
  list: ["stream", "all"],
};

/** Answers the features of this node. */
export function describeFeatures(): InstanceType<typeof features.SupportedMethods> {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(version);
  const services = [StreamsService, PersistentSubscriptionsService, ServerFeaturesService, GossipService];
  for (const { path } of services.flatMap((service) => Object.values<{ path: string }>(service))) {
    const [, service = "", method = ""] = path.split("/");
    const name = method.toLowerCase();
    const isPersistent = service.includes("persistent_subscriptions");
    const supported = (isPersistent && name === "read" ? ["stream", "all"] : methodFeatures[name]) ?? [];
    const entry = new features.SupportedMethod().setServiceName(service).setMethodName(name);
    entry.setFeaturesList(isPersistent ? [...supported] : []);
    answer.addMethods(entry);
  }
  return answer;
}

const instance = randomUUID();

/** Answers gossip: a cluster of one leader. */
export function describeCluster(host: string, port: number): InstanceType<typeof gossip.ClusterInfo> {
  const member = new gossip.MemberInfo()
    .setInstanceId(encodeUuid(instance))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
