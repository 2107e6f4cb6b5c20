import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { startStandaloneNode, type PartDecorators } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import type { PostgresServer } from "@hostledger/runtime/testing/postgres";
import type { Compute, Dns, Registrar } from "@hostledger/providers";
import { silentLogger } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { startInstance, type Instance, type InstanceOptions } from "./instance.ts";

/**
 * Shared parts of whole instances side by side (ADR 0180): a node, a PostgreSQL and the simulated providers. The
 * instances run in the test's own process, where each can have its own clock, store or logger; `startFleet` runs
 * them as processes.
 */
export interface SharedPlace {
  /** The node's directory: the log, and the simulated providers' data. */
  readonly data: string;
  readonly postgres: PostgresServer;
  /** Settings of every instance. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts one more instance, with a data directory of its own. The place closes it, if the test did not; the first one last. */
  replica(options?: InstanceOptions): Promise<Instance>;
  /** Ends the instances, and then the node: the data stays. */
  stop(): Promise<void>;
  /** Stops what still runs, and removes the data. */
  close(): Promise<void>;
}

/** No process keeps the audit log there, so staff get no answer about it. */
const nowhere = "http://127.0.0.1:2";

/** Starts the shared parts. Close it at the end. */
export async function startSharedPlace(postgres: PostgresServer): Promise<SharedPlace> {
  const directory = temporaryDirectory();
  const data = join(directory.path, "node");
  mkdirSync(data, { mode: 0o700 });
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: data,
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  const environment = {
    HOSTLEDGER_EVENT_STORE: node.connectionString,
    HOSTLEDGER_DATABASE: postgres.url,
    HOSTLEDGER_ADMIN_TOKEN: "shared-admin-token-0123456789abcdef",
    HOSTLEDGER_AUDIT_URL: nowhere,
    HOSTLEDGER_SANDBOX_DATA: data,
  };
  const providers = sharedProviders();
  const closers: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      for (const close of closers.toReversed()) await close();
      await node.close();
    })());
  return {
    data,
    postgres,
    environment,
    async replica(options = {}) {
      const instance = await startInstance({
        ...options,
        decorate: { ...providers, ...options.decorate },
        environment: { ...environment, ...options.environment },
      });
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> => (closing ??= instance.close());
      closers.push(close);
      return { ...instance, close };
    },
    stop,
    async close() {
      await stop();
      directory.remove();
    },
  };
}

/**
 * The parties of the first instance, for all: two connections of one thread to the file of the simulated ones would wait for each
 * other for ever, which those of two processes do not.
 */
function sharedProviders(): Required<Pick<PartDecorators, "registrar" | "dns" | "compute">> {
  let [registrar, dns, compute]: [Registrar?, Dns?, Compute?] = [];
  return {
    registrar: (opened) => (registrar ??= opened),
    dns: (opened) => (dns ??= opened),
    compute: (opened) => (compute ??= opened),
  };
}
