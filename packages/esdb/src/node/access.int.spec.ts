import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import {
  AccessDeniedError,
  EventStoreDBClient,
  persistentSubscriptionToStreamSettingsFromDefaults,
} from "@eventstore/db-client";
import { directoryOfSuite } from "@hostledger/runtime/testing";
import { generate } from "selfsigned";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { startEventStoreNode } from "./event-store-node.ts";
import { collect, failureOf, numbered, startTestNode, type TestNode } from "./node.fixture.ts";

const event = { id: "11111111-1111-4111-8111-111111111111", type: "T", data: "{}", metadata: "" };
const credential = { username: "hostledger", password: "s:cret" };
const quiet = { info: () => undefined, error: () => undefined };

const folder = directoryOfSuite();
let tls: { certificate: string; key: string };
let others: { certificate: string; key: string };
beforeAll(async () => {
  [tls, others] = await Promise.all([makeCertificate(), makeCertificate()]);
  await writeFile(join(folder, "own.pem"), tls.certificate);
  await writeFile(join(folder, "other.pem"), others.certificate);
});

let test: TestNode | undefined;
const clients: EventStoreDBClient[] = [];
afterEach(async () => {
  expect(test?.bugs ?? []).toEqual([]);
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await test?.stop();
  test = undefined;
});

async function makeCertificate(): Promise<{ certificate: string; key: string }> {
  const names = [
    { type: 2 as const, value: "localhost" },
    { type: 7 as const, ip: "127.0.0.1" },
  ];
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    extensions: [{ name: "subjectAltName", altNames: names }],
  });
  return { certificate: made.cert, key: made.private };
}

/** A client as `user:password@`, or nobody, which trusts one certificate. */
function clientAs(user: string, trusted = "own.pem"): EventStoreDBClient {
  const port = String(test?.node.port);
  const file = join(folder, trusted);
  const client = EventStoreDBClient.connectionString(
    `esdb://${user}localhost:${port}?tls=true&tlsCAFile=${file}&throwOnAppendFailure=true`,
  );
  clients.push(client);
  return client;
}

/** Every way of changing something. */
function writesOf(client: EventStoreDBClient): (() => Promise<unknown>)[] {
  const credentials = { username: "u", password: "p" };
  const settings = persistentSubscriptionToStreamSettingsFromDefaults();
  return [
    () => client.appendToStream("order-1", numbered(1)),
    () => client.appendToStream("order-1", numbered(1), { credentials }),
    () => client.deleteStream("order-1"),
    () => client.tombstoneStream("order-1"),
    () => client.setStreamMetadata("order-1", { maxCount: 1 }),
    () => client.createPersistentSubscriptionToStream("order-1", "g", settings),
    () => client.deletePersistentSubscriptionToStream("order-1", "g"),
    () => client.restartPersistentSubscriptionSubsystem(),
    () => collect(client.subscribeToPersistentSubscriptionToStream("order-1", "g")),
  ];
}

describe("a node without a credential", () => {
  it("is read-only: every way of writing is refused, reading is not", async () => {
    test = await startTestNode({ writers: "credential" });
    const { client, store } = test;
    await store.append("order-1", "no-stream", [event]);
    for (const write of writesOf(client)) expect(await failureOf(write)).toBeInstanceOf(AccessDeniedError);
    expect(await collect(client.readAll())).toHaveLength(1);
    expect(await collect(client.readStream("order-1"))).toHaveLength(1);
  });
});

describe("a node with TLS and a credential", () => {
  it("permits writing with the credential of the connection string", async () => {
    test = await startTestNode({ writers: "credential", tls, credential });
    const owner = clientAs("hostledger:s%3Acret@");
    expect(await owner.appendToStream("order-1", numbered(2))).toMatchObject({ success: true });
    expect(await owner.deleteStream("order-1")).toHaveProperty("position");
  });

  it("permits an unknown client to read and not to write", async () => {
    test = await startTestNode({ writers: "credential", tls, credential });
    await test.store.append("order-1", "no-stream", [event]);
    const stranger = clientAs("");
    expect(await collect(stranger.readStream("order-1"))).toHaveLength(1);
    for (const write of writesOf(stranger)) expect(await failureOf(write)).toBeInstanceOf(AccessDeniedError);
    expect(await collect(test.store.read("order-1"))).toHaveLength(1);
  });

  it.each(["hostledger:wrong@", "other:s%3Acret@", "hostledger:s@"])(
    "permits %s neither writing nor reading",
    async (liar) => {
      test = await startTestNode({ writers: "credential", tls, credential });
      await test.store.append("order-1", "no-stream", [event]);
      const client = clientAs(liar);
      for (const write of writesOf(client)) expect(await failureOf(write)).toBeInstanceOf(AccessDeniedError);
      expect(await failureOf(collect(client.readAll()))).toBeInstanceOf(AccessDeniedError);
      expect(await failureOf(collect(client.subscribeToAll()))).toBeInstanceOf(AccessDeniedError);
    },
  );

  it("is not trusted by a client with another certificate, and refuses clear text", async () => {
    test = await startTestNode({ writers: "credential", tls, credential });
    const wary = clientAs("hostledger:s%3Acret@", "other.pem");
    expect(await failureOf(wary.appendToStream("order-1", numbered(1)))).toMatchObject({ code: 14 });
    const clear = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${String(test.node.port)}?tls=false`);
    clients.push(clear);
    expect(await failureOf(clear.appendToStream("order-1", numbered(1)))).toMatchObject({ code: 14 });
    expect(await collect(test.store.read("order-1"))).toEqual([]);
  });

  it("does not start with an unreadable certificate, or another one's key", async () => {
    test = await startTestNode();
    const { store } = test;
    const start = (wrong: { certificate: string; key: string }) =>
      failureOf(startEventStoreNode({ store, host: "127.0.0.1", port: 0, tls: wrong, logger: quiet }));
    expect(await start({ ...tls, certificate: "nonsense" })).toBeInstanceOf(Error);
    expect(await start({ ...tls, key: others.key })).toBeInstanceOf(Error);
  });
});

describe("settings that would give away writing", () => {
  it.each([
    [{ host: "0.0.0.0", writers: "anyone" as const }, "loopback"],
    [{ host: "::", writers: "anyone" as const }, "loopback"],
    [{ host: "127.0.0.1", credential: { username: "u", password: "p" } }, "TLS"],
  ])("are refused: %j", async (options, sentence) => {
    test = await startTestNode();
    const starting = startEventStoreNode({ store: test.store, port: 0, logger: quiet, ...options });
    expect(await failureOf(starting)).toMatchObject({ message: expect.stringContaining(sentence) as string });
  });
});
