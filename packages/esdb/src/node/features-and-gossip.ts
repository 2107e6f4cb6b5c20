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

/** The version that this node behaves like: what its clients may ask for depends on it. */
const version = "23.10.8";

/** Features by method, for those that have any: clients fall back to HTTP, which is not served, without them. */
const methodFeatures: Readonly<Record<string, readonly string[]>> = {
  read: ["position", "events"],
  create: ["stream", "all"],
  update: ["stream", "all"],
  delete: ["stream", "all"],
  getinfo: ["stream", "all"],
  replayparked: ["stream", "all"],
  list: ["stream", "all"],
};

/** What this node can do. */
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

/** A cluster of one, which leads. */
export function describeCluster(host: string, port: number): InstanceType<typeof gossip.ClusterInfo> {
  const member = new gossip.MemberInfo()
    .setInstanceId(encodeUuid(instance))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
