import { describe, expect, it } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { readersOf } from "./event-store-node.ts";

const readers = (environment: Readonly<Record<string, string>>) => readersOf(readConfiguration(environment));

const tls = { HOSTLEDGER_TLS_CERTIFICATE: "/node.pem", HOSTLEDGER_TLS_KEY: "/node-key.pem" };
const everywhere = { HOSTLEDGER_ESDB_HOST: "0.0.0.0" };

describe("readers of EventStoreDB's port", () => {
  it.each(["127.0.0.1", "127.3.2.1", "::1", "localhost"])("are anyone on %s", (host) => {
    expect(readers({ HOSTLEDGER_ESDB_HOST: host })).toBe("anyone");
  });

  it.each(["0.0.0.0", "::", "10.0.0.7", "127.example.com", "node"])("show a credential on %s", (host) => {
    expect(readers({ HOSTLEDGER_ESDB_HOST: host, ...tls })).toBe("credentials");
  });

  it("follow the setting", () => {
    expect(readers({ ...everywhere, HOSTLEDGER_ESDB_READERS: "anyone" })).toBe("anyone");
    expect(readers({ ...tls, HOSTLEDGER_ESDB_READERS: "credentials" })).toBe("credentials");
  });

  it("need no password if none is possible or required", () => {
    expect(() => readers(everywhere)).toThrow(
      "EventStoreDB's port on 0.0.0.0 asks readers for a password, which clients send over TLS only",
    );
    expect(() =>
      readers({ ...tls, HOSTLEDGER_ESDB_READERS: "credentials", HOSTLEDGER_ESDB_WRITERS: "anyone" }),
    ).toThrow("HOSTLEDGER_ESDB_WRITERS=anyone does not go with HOSTLEDGER_ESDB_READERS=credentials");
    expect(() => readers({ HOSTLEDGER_ESDB_READERS: "all" })).toThrow("HOSTLEDGER_ESDB_READERS");
  });
});
