import { readFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "@hostledger/cli";
import type { Timing } from "@hostledger/runtime";

import type { Instance } from "./instance.ts";

/** A command that has ended; its answer as the JSON document that it is. */
export interface Answered {
  readonly code: number;
  readonly document: unknown;
  readonly stderr: string;
}

/**
 * Runs `hostledger … --json` against an instance of the test's own process, and by that one's clock: a process of its own
 * would be nothing that a virtual clock waits for.
 */
export async function commandInProcess(
  instance: Pick<Instance, "adminUrl" | "data">,
  timing: Timing,
  ...line: readonly string[]
): Promise<Answered> {
  const { code, stdout, stderr } = await textInProcess(instance, timing, ...line, "--json");
  return { code, document: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

/** The same for a command whose answer is text. */
export async function textInProcess(
  { adminUrl, data }: Pick<Instance, "adminUrl" | "data">,
  timing: Timing,
  ...line: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let stdout = "";
  let stderr = "";
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const code = await run([...line, "--admin-url", adminUrl], {
    out: (text) => (stdout += text),
    outBytes: (bytes) => (stdout += Buffer.from(bytes).toString("utf8")),
    err: (text) => (stderr += text),
    errColumns: undefined,
    environment: { HOSTLEDGER_ADMIN_TOKEN: token },
    pid: process.pid,
    timing,
    onSignal: () => undefined,
    exitNow: () => undefined,
  });
  return { code, stdout, stderr };
}
