import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";

import { startStandaloneNode, type StandaloneNode } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { silentLogger } from "@hostledger/runtime";
import { freePort, temporaryDirectory } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

/** The database of an embedded store. */
const files = ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm"];

/** A directory of the test, removed at its end. */
export function newDirectory(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  return directory.path;
}

/** Copies a store that nobody has open. */
export function copyStore(from: string, to: string): void {
  for (const file of files) {
    rmSync(join(to, file), { force: true });
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
  }
}

/** A server of EventStoreDB's protocol that can be stopped, and started on another copy of its database. */
export async function startPutBackServer() {
  const data = newDirectory();
  const port = await freePort();
  let node: StandaloneNode;
  const start = async (): Promise<void> => {
    node = await startStandaloneNode({
      configuration: readConfiguration({
        HOSTLEDGER_DATA: data,
        HOSTLEDGER_ESDB_PORT: String(port),
        HOSTLEDGER_ESDB_WRITERS: "anyone",
      }),
      logger: silentLogger(),
      onFatal(error) {
        throw error;
      },
    });
  };
  await start();
  onTestFinished(() => node.close());
  const whileStopped = async (work: () => void): Promise<void> => {
    await node.close();
    work();
    await start();
  };
  return {
    data,
    environment: { HOSTLEDGER_EVENT_STORE: `esdb://127.0.0.1:${String(port)}?tls=false` },
    restart: () => whileStopped(() => undefined),
    /** @returns a directory with a copy of the present database. */
    async copy(): Promise<string> {
      const copy = newDirectory();
      await whileStopped(() => {
        copyStore(data, copy);
      });
      return copy;
    },
    putBack: (copy: string) =>
      whileStopped(() => {
        copyStore(copy, data);
      }),
  };
}
