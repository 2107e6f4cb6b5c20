import { hostingEvents, ownCategories, type DomainEvent } from "@hostledger/core";
import { handling, type AnyProjection } from "@hostledger/read";
import { workTables } from "@hostledger/work/work-table";

/** Category of an import's original times, which are no events of ours. */
const times = "transfer";

/**
 * Reads every event and writes no rows; finds unreadable events in streams without another read model. The engine's table of
 * due work is here, and stays empty: no event makes this service's work due (ADR 0180).
 */
export const allStreams: AnyProjection<DomainEvent> = {
  name: "all_streams",
  version: 2,
  categories: ownCategories.filter((category) => category !== times),
  tables: workTables,
  handlers: handling(() => "ignored" as const, hostingEvents),
};
