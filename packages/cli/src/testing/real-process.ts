import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { defined } from "@hostledger/runtime";

/** The program as it is installed. */
export const mainFile = fileURLToPath(new URL("../main.ts", import.meta.url));

/** A process under test. */
export interface RealProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Settles at its end: the exit code, or the name of the signal that killed it. */
  readonly end: Promise<number | NodeJS.Signals | null>;
}

/** Runs a file the way a shell does, through its first line, with the Node that runs the specs. */
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
