import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newEvents, openTestStore } from "@hostledger/store/testing";
import type { EventStore } from "@hostledger/store";
import { directoryOfSuite, listen } from "@hostledger/runtime/testing";
import { startEventStoreNode, type EventStoreNode } from "../node/index.ts";
import { hidePassword } from "./connection-settings.ts";
import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";
import { startServedStore } from "./served-store.fixture.ts";

const limits = { firstPauseMs: 5, longestPauseMs: 20, silenceMs: 500 };

describe("a connection string", () => {
  it.each([
    ["localhost:2113", "is no connection string of EventStoreDB: expected is esdb:// or esdb+discover://"],
    ["", "expected is esdb:// or esdb+discover://"],
    ["http://localhost:2113", "expected is esdb:// or esdb+discover://"],
    ["esdb://", "is no connection string"],
    ["esdb://localhost:port", "expected is port number"],
    ["esdb://admin:secret@localhost:x", "esdb://admin:***@localhost:x is no connection string"],
    ["esdb://admin:se@cret@localhost", "esdb://admin:***@localhost is no connection string"],
    ["esdb://admin@localhost", "it has to be esdb://user:password@host:port?option=value"],
    [
      "esdb://admin:secret@localhost?tsl=true",
      "esdb://admin:***@localhost?tsl=true is no connection string of EventStoreDB: it has no option tsl",
    ],
    ["esdb://localhost?tls=perhaps", "expected is true or false"],
    ["esdb://localhost?nodePreference=nearest", "expected is leader or follower"],
    [
      "esdb://localhost?tlsVerifyCert=false",
      "tlsVerifyCert is not supported; name the authority's certificate",
    ],
    ["esdb://localhost?tlsCAFile=nowhere.pem", "the certificate file nowhere.pem cannot be read"],
    ["esdb://localhost?userCertFile=a.pem", "userCertFile and userKeyFile are given together"],
  ])("%s is refused with a sentence", async (connectionString, sentence) => {
    const opening = openEventStoreDb({ connectionString });
    await expect(opening).rejects.toMatchObject({ name: "EventStoreDbError" });
    await expect(opening).rejects.toThrow(sentence);
    await expect(opening).rejects.not.toThrow("secret");
  });

  it("is shown without its password", () => {
    expect(hidePassword("esdb://u:p%40ss@a:1,b:2?tls=true")).toBe("esdb://u:***@a:1,b:2?tls=true");
    expect(hidePassword("esdb://a:1,b:2?tls=true")).toBe("esdb://a:1,b:2?tls=true");
  });
});

describe("opening", () => {
  it("reports that no server is reachable", async () => {
    const opening = openEventStoreDb({
      connectionString: "esdb://127.0.0.1:1?tls=false",
      limits,
      startTimeoutMs: 100,
    });
    await expect(opening).rejects.toMatchObject({ name: "EventStoreDbError", reason: "unreachable" });
    await expect(opening).rejects.toThrow("EventStoreDB at 127.0.0.1:1 did not answer within 100 ms (");
  });

  it("reports that no node of the cluster is reachable", async () => {
    const connectionString =
      "esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=2&discoveryInterval=5";
    const opening = openEventStoreDb({ connectionString, limits, startTimeoutMs: 100 });
    await expect(opening).rejects.toMatchObject({ reason: "unreachable" });
    await expect(opening).rejects.toThrow("EventStoreDB at 127.0.0.1:1, 127.0.0.1:2 did not answer");
  });

  it("reports that the server does not answer", async () => {
    const mute = createServer(() => undefined);
    const port = String(await listen(mute));
    const opening = openEventStoreDb({
      connectionString: `esdb://127.0.0.1:${port}?tls=false`,
      limits: { ...limits, silenceMs: 100 },
      startTimeoutMs: 300,
    });
    await expect(opening).rejects.toMatchObject({ reason: "unreachable" });
    mute.close();
  });
});

describe("a cluster", () => {
  it.each([
    "esdb+discover://127.0.0.1:PORT",
    "kurrentdb+discover://127.0.0.1:PORT",
    "esdb://127.0.0.1:1,127.0.0.1:PORT",
    "kurrentdb://127.0.0.1:1,127.0.0.1:PORT",
  ])("is found through the gossip of %s, and again when the node comes back", async (form) => {
    const served = await startServedStore();
    const store = await openEventStoreDb({
      connectionString: `${form.replace("PORT", String(served.port))}?tls=false&discoveryInterval=10`,
      limits,
    });
    expect(await store.append("account-1", "no-stream", newEvents(2))).toMatchObject({ revision: 1n });
    await served.stopServer();
    const append = store.append("account-1", 1n, newEvents(1));
    await served.startServer();
    expect(await append).toMatchObject({ revision: 2n });
    await store.close();
    await served.stop();
  });
});

describe("a server with TLS and a credential", () => {
  const folder = directoryOfSuite();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  let embedded: EventStore;
  let node: EventStoreNode;
  beforeAll(async () => {
    const form = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...form, "-keyout", key, "-out", certificate, "-days", "2", ...subject], {
      stdio: "ignore",
    });
    embedded = await openTestStore(join(folder, "events.sqlite"));
    node = await startEventStoreNode({
      store: embedded,
      host: "127.0.0.1",
      port: 0,
      tls: { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") },
      credential: { username: "writer", password: "pass:wörd" },
      logger: { info: () => undefined, error: () => undefined },
    });
  });
  const stores: EventStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  afterAll(async () => {
    await node.close();
    await embedded.close();
  });

  async function open(user: string, query: string, scheme = "esdb"): Promise<EventStore> {
    const connectionString = `${scheme}://${user}localhost:${String(node.port)}?${query}`;
    const store = await openEventStoreDb({ connectionString, limits, startTimeoutMs: 2_000 });
    stores.push(store);
    return store;
  }

  it("is written to with the credential of the connection string", async () => {
    const store = await open(
      `writer:${encodeURIComponent("pass:wörd")}@`,
      `tls=true&tlsCAFile=${certificate}`,
    );
    expect(await store.append("account-1", "no-stream", newEvents(2))).toMatchObject({ revision: 1n });
  });

  it("refuses to write without one, with a clear error", async () => {
    const store = await open("", `tlsCAFile=${certificate}`);
    const append = store.append("account-2", "no-stream", newEvents(1));
    await expect(append).rejects.toMatchObject({ name: "EventStoreDbError", reason: "unauthorised" });
    await expect(append).rejects.toThrow(
      "appending to stream account-2: EventStoreDB refuses it to this user",
    );
  });

  it("refuses a wrong credential", async () => {
    const opening = open("writer:wrong@", `tlsCAFile=${certificate}`);
    await expect(opening).rejects.toMatchObject({ reason: "unauthorised" });
    await expect(opening).rejects.not.toThrow("wrong@");
  });

  it("is refused when its certificate is not known", async () => {
    const opening = open("", "tls=true");
    await expect(opening).rejects.toMatchObject({ reason: "certificate" });
    await expect(opening).rejects.toThrow("no TLS connection to EventStoreDB");
  });

  it("does not answer clients in clear text", async () => {
    await expect(open("", "tls=false")).rejects.toMatchObject({ name: "EventStoreDbError" });
  });
});
