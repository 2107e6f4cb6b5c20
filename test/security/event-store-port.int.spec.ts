import { AccessDeniedError, jsonEvent, type EventStoreDBClient } from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openServedShop, type ServedShop } from "./event-store-port.fixture.ts";

/** EventStoreDB's port: facts are not deleted over a wire, and readers are asked who they are. */

let served: ServedShop;
beforeAll(async () => {
  served = await openServedShop();
});
afterAll(() => served.close());

describe("a writer with the node's own credential", () => {
  /** Every way in which EventStoreDB's clients make events go away. */
  const deletions: [string, (client: EventStoreDBClient, stream: string) => Promise<unknown>][] = [
    ["a tombstone", (client, stream) => client.tombstoneStream(stream)],
    ["a deletion", (client, stream) => client.deleteStream(stream)],
    ["$maxCount", (client, stream) => client.setStreamMetadata(stream, { maxCount: 1 })],
    ["$maxAge", (client, stream) => client.setStreamMetadata(stream, { maxAge: 1 })],
    ["$tb", (client, stream) => client.setStreamMetadata(stream, { truncateBefore: 9 })],
    ["$acl", (client, stream) => client.setStreamMetadata(stream, { acl: { readRoles: ["$admins"] } })],
    [
      "an event of the stream of metadata",
      (client, stream) =>
        client.appendToStream(`$$${stream}`, jsonEvent({ type: "$metadata", data: { $tb: 9 } })),
    ],
    ["a tombstone of the metadata", (client, stream) => client.tombstoneStream(`$$${stream}`)],
  ];

  it.each(deletions)("does not stop an account with %s", async (_what, remove) => {
    const writer = served.clientAs(served.service);
    const customer = await served.shop.customer(10_000n);
    const stream = `account-${String(customer.accountId)}`;
    await expect(remove(writer, stream)).rejects.toBeInstanceOf(AccessDeniedError);
    const { status } = await customer.post("/domains", { domain: `kept-${String(customer.accountId)}.com` });
    expect(status).toBe(201);
  });

  it("deletes nothing of any kind that is ours, and streams of others as before", async () => {
    const writer = served.clientAs(served.service);
    const ours = [
      "domain-kept.com",
      "server-1",
      "ticket-1",
      "registration-1",
      "sequence-invoice",
      "auditor-1",
    ];
    for (const stream of ours)
      await expect(writer.tombstoneStream(stream), stream).rejects.toBeInstanceOf(AccessDeniedError);
    await writer.appendToStream("visitor-1", jsonEvent({ type: "Seen", data: {} }));
    await writer.setStreamMetadata("visitor-1", { maxCount: 1 });
    await expect(writer.tombstoneStream("visitor-1")).resolves.toHaveProperty("position");
  });
});
