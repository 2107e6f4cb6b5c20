import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { EventStoreDBClient } from "@eventstore/db-client";
import { startStandaloneNode } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { silentLogger } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { generate } from "selfsigned";

import { openShop, type Shop } from "../support/shop.ts";

/** A store that serves EventStoreDB's clients over TLS, and a shop whose services use it with the node's credential. */
export interface ServedShop {
  readonly shop: Shop;
  /** A client as `user:password`; nobody without it. */
  clientAs(user?: string): EventStoreDBClient;
  /** Returns the address for a client of this user. */
  addressAs(user: string): string;
  /** Address for the services' user, who may write. */
  readonly service: string;
  close(): Promise<void>;
}

const service = "services:0123456789abcdef";

/** Starts both on free ports of loopback, with authentication of readers as on other interfaces. */
export async function openServedShop(): Promise<ServedShop> {
  const directory = temporaryDirectory();
  const tls = await writeCertificate(directory.path);
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: directory.path,
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_CREDENTIAL: service,
      HOSTLEDGER_ESDB_READERS: "credentials",
      HOSTLEDGER_TLS_CERTIFICATE: tls.certificate,
      HOSTLEDGER_TLS_KEY: tls.key,
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  const port = /:(?<port>\d+)\?/u.exec(node.connectionString)?.groups?.port ?? "";
  const addressOf = (user: string): string =>
    `esdb://${user}localhost:${port}?tls=true&tlsCAFile=${tls.certificate}&throwOnAppendFailure=true`;
  const shop = await openShop({ environment: { HOSTLEDGER_EVENT_STORE: addressOf(`${service}@`) } });
  const clients: EventStoreDBClient[] = [];
  return {
    shop,
    service,
    addressAs: (user) => addressOf(`${user}@`),
    clientAs(user) {
      const client = EventStoreDBClient.connectionString(addressOf(user === undefined ? "" : `${user}@`));
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.dispose()));
      await shop.close();
      await node.close();
      directory.remove();
    },
  };
}

async function writeCertificate(
  directory: string,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const files = { certificate: join(directory, "node.pem"), key: join(directory, "node-key.pem") };
  writeFileSync(files.certificate, made.cert);
  writeFileSync(files.key, made.private, { mode: 0o600 });
  return files;
}
