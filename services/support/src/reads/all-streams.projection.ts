import { hostingEvents, ownCategories, type DomainEvent } from "@hostledger/core";
import { handling, type AnyProjection } from "@hostledger/projections";

/** Where an import keeps original times, which are no events of ours. */
const times = "transfer";

/**
 * Reads every event of ours and has no rows. In streams that no other read model follows, such as `sequence-apikey`, it is what finds an
 * event that cannot be read.
 */
export const allStreams: AnyProjection<DomainEvent> = {
  name: "all_streams",
  version: 1,
  categories: ownCategories.filter((category) => category !== times),
  tables: {},
  handlers: handling(() => "ignored" as const, hostingEvents),
};
