import { hash } from "node:crypto";

import { storeReaderAggregate } from "@hostledger/core";
import type { FindReader } from "@hostledger/esdb/node";
import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { ConfigurationError, isLoopback } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";

/**
 * Finds users of EventStoreDB's port among the facts of the store that it serves, at each question anew: who was revoked
 * reads no more. Where the list cannot be read, nobody on it may read.
 */
export function storeReadersOf(store: EventStore): FindReader {
  const commands = createCommandHandler({ store, recordedBy: "event-store-node" });
  return async ({ username, password }) => {
    const { state } = await commands.load(storeReaderAggregate, "all");
    const known = state.readers.get(username);
    if (known === undefined || known.revokedAt !== undefined) return undefined;
    // Digests of passwords of 256 random bits are compared: neither is found out by how long that takes.
    if (known.credentialHash !== hash("sha256", `${username}:${password}`, "hex")) return undefined;
    return known.categories.includes("all") ? "all" : known.categories;
  };
}

/**
 * Who may read: beyond loopback, those with a credential, unless the configuration says otherwise.
 * @throws ConfigurationError credentials that nobody could show, or that protect nothing.
 */
export function readersOf(configuration: Configuration): "credentials" | "anyone" {
  const { esdbHost: host, esdbReaders, esdbWriters, tlsCertificate } = configuration;
  const readers = esdbReaders ?? (isLoopback(host) ? "anyone" : "credentials");
  if (readers === "anyone") return readers;
  if (esdbWriters === "anyone")
    throw new ConfigurationError([
      "HOSTLEDGER_ESDB_WRITERS=anyone does not go with HOSTLEDGER_ESDB_READERS=credentials: whoever may write may do more than read.",
    ]);
  if (tlsCertificate === undefined)
    throw new ConfigurationError([
      `EventStoreDB's port on ${host} asks readers for a password, which clients send over TLS only: set HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY, or HOSTLEDGER_ESDB_READERS=anyone to let everybody who reaches it read every fact.`,
    ]);
  return readers;
}
