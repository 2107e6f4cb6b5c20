import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { EventStore } from "../event-store.port.ts";

export const childProgram = fileURLToPath(new URL("./durable-writers.child.ts", import.meta.url));

/** An answer of the store to a process. */
export interface Acknowledged {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

/** An ended process: its complete output lines and how it ended. */
export interface Ended {
  readonly lines: readonly string[];
  readonly code: number | null;
}

/** Starts a command and passes each complete output line to `onLine`. */
export function startProcess(
  command: readonly [string, ...string[]],
  onLine: (line: string, child: ChildProcess) => void,
): Promise<Ended> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      onLine(line, child);
    }
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ lines, code });
    });
  });
}

export function acknowledged(lines: readonly string[]): readonly Acknowledged[] {
  return lines.flatMap((line) => {
    const [word, stream = "", revision = "", id = ""] = line.split(" ");
    return word === "stored" ? [{ stream, revision: Number(revision), id }] : [];
  });
}

/** Returns the event ids of each stream, in order, and checks that revisions and positions have no gaps. */
export async function storedIds(store: EventStore): Promise<ReadonlyMap<string, readonly string[]>> {
  const streams = new Map<string, string[]>();
  let position = 0n;
  for await (const batch of store.subscribe({ from: "start" })) {
    for (const event of batch.events) {
      const ids = streams.get(event.stream) ?? [];
      streams.set(event.stream, ids);
      if (event.revision !== BigInt(ids.length) || event.position !== position + 1n) {
        throw new Error(`a gap before ${event.stream} ${String(event.revision)}`);
      }
      ids.push(event.id);
      position = event.position;
    }
    if (batch.caughtUp) break;
  }
  return streams;
}
