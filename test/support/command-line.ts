import { spawn } from "node:child_process";
import { once } from "node:events";

import { commandLine } from "./programs.ts";

/** A command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `hostledger` with these arguments to its end. */
export function hostledger(...line: readonly string[]): Promise<Ended> {
  const environment = { ...process.env, HOSTLEDGER_LOG_LEVEL: "error" };
  return ended(process.execPath, [commandLine, ...line], environment);
}

/** Runs a line as if a user pasted it into a shell. */
export function shell(line: string): Promise<Ended> {
  return ended("/bin/sh", ["-c", line], process.env);
}

async function ended(
  command: string,
  line: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Ended> {
  const child = spawn(command, line, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}
