import { hostingEvents, ownCategories, type DomainEvent } from "@hostledger/core";
import { handling, type AnyProjection } from "@hostledger/read";

/** Category of an import's original times, which are no events of ours. */
const times = "transfer";

/** Reads every event and has no rows; finds unreadable events in streams without another read model. */
export const allStreams: AnyProjection<DomainEvent> = {
  name: "all_streams",
  version: 1,
  categories: ownCategories.filter((category) => category !== times),
  tables: {},
  handlers: handling(() => "ignored" as const, hostingEvents),
};
