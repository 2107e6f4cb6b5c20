export { openEventStoreDb, type EventStoreDbOptions } from "./client/eventstoredb-event-store.adapter.ts";
export { EventStoreDbError, type EventStoreDbReason } from "./client/client-failure.ts";
export { hidePassword } from "./client/connection-settings.ts";
export type { EventStoreDbLimits } from "./client/limits.ts";
export type { AdapterLogger } from "./client/log-subscription.ts";
