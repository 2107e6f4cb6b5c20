import { codecOfExcerpts } from "@hostledger/core/testing";
import { join } from "node:path";

import type { DomainEvent, EventCodec } from "@hostledger/core";
import { writeMetadata, type EventStore, type EventToAppend } from "@hostledger/store";
import { createProjector, openReadModels, type ProjectorOptions } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { randomIds, silentLogger } from "@hostledger/runtime";
import { onTestFinished } from "vitest";

import { domainSubscriptionCodec, type DomainSubscriptionEvent } from "./domain.subscription.ts";
import type { DomainSchema } from "./domain.tables.ts";

const metadata = writeMetadata({ correlationId: "c-1", actor: "account:7", commandId: "c-1" }, "spec");

export function toAppend<Event extends DomainEvent>(
  codec: EventCodec<Event>,
  { type, data }: Event,
): EventToAppend {
  return { id: randomIds.uuid(), type: codec.storedType(type), data: JSON.stringify(data), metadata };
}

/** Opens read models of some projections on a store until the test ends; the caller closes the store. */
export async function openProjected(
  store: EventStore,
  directory: string,
  projections: ProjectorOptions<DomainSubscriptionEvent>["projections"],
) {
  const location = await testLocation(join(directory, "reads.sqlite"));
  const database = await openReadModels<DomainSchema>({ location, service: "domain" });
  const projector = await createProjector<DomainSubscriptionEvent>({
    store,
    database,
    codec: domainSubscriptionCodec,
    codecOf: codecOfExcerpts,
    projections,
    logger: silentLogger(),
  });
  const stopping = new AbortController();
  const running = projector.run(stopping.signal);
  await projector.ready();
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await database.close();
  });
  return { database, projector };
}
