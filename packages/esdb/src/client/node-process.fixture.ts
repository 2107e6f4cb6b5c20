import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A node in a process of its own. */
export interface NodeProcess {
  readonly process: ChildProcess;
  readonly port: number;
  /** Ends it at once, and waits until it has gone. */
  kill(): Promise<void>;
}

/**
 * Starts a node over an embedded store; anyone may write.
 *
 * @param path the store's file.
 * @param port 0: one that is free.
 * @throws Error when it ended before it listened.
 */
export async function startNodeProcess(path: string, port = 0): Promise<NodeProcess> {
  const child = join(import.meta.dirname, "serving-node.child.ts");
  const server = spawn(process.execPath, [child, path, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(server.stdout)) {
    return {
      process: server,
      port: Number(line),
      async kill() {
        if (server.exitCode !== null || server.signalCode !== null) return;
        const ended = once(server, "exit");
        server.kill("SIGKILL");
        await ended;
      },
    };
  }
  throw new Error("the node's process ended before it listened");
}
