export type { FindReader, NodeCredential } from "./authority.ts";
export {
  startEventStoreNode,
  type EventStoreNode,
  type EventStoreNodeOptions,
  type NodeLogger,
} from "./event-store-node.ts";
export { defaultLimits, type NodeLimits } from "./node-parts.ts";
