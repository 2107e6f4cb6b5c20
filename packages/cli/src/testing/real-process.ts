import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { defined } from "@hostledger/runtime";

export const mainFile = fileURLToPath(new URL("../main.ts", import.meta.url));

export interface RealProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code, or the signal that killed the process. */
  readonly end: Promise<number | NodeJS.Signals | null>;
}

/** Runs a file through its first line like a shell, with the specs' Node. */
export function spawnFile(file: string, line: readonly string[], environment = {}): RealProcess {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const own = { PATH: [dirname(process.execPath), PATH].join(delimiter), ...defined({ NODE_COMPILE_CACHE }) };
  const child = spawn(file, line, { env: { ...own, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return { child, stdout: () => stdout, stderr: () => stderr, end: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  await once(child, "close");
  return child.exitCode ?? child.signalCode;
}
