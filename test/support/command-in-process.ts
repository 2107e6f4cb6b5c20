import { readFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "@hostledger/cli";
import { capturedIo } from "@hostledger/cli/testing";
import { realTiming, type Timing } from "@hostledger/runtime";

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

/** The same as staff of another token than the instance's own. */
export async function commandAs(
  token: string,
  { adminUrl }: Pick<Instance, "adminUrl">,
  timing: Timing,
  ...line: readonly string[]
): Promise<Answered> {
  const options = ["--json", "--admin-url", adminUrl];
  const ended = await inProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, timing, [...line, ...options]);
  const { code, stdout, stderr } = ended;
  return { code, document: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

/** Runs a command whose answer is text. */
export async function textInProcess(
  { adminUrl, data }: Pick<Instance, "adminUrl" | "data">,
  timing: Timing,
  ...line: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  return inProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, timing, [...line, "--admin-url", adminUrl]);
}

/** Runs a command that reads piped input. */
export async function pipedInProcess(
  { adminUrl, data }: Pick<Instance, "adminUrl" | "data">,
  input: string,
  ...line: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const environment = { HOSTLEDGER_ADMIN_TOKEN: token };
  return inProcess(environment, realTiming, [...line, "--admin-url", adminUrl], [Buffer.from(input)]);
}

/** Runs `hostledger …` in the test's own process with only these settings, for a command that ends by itself. */
export function hostledgerInProcess(
  environment: Readonly<Record<string, string>>,
  ...line: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return inProcess(environment, realTiming, line);
}

async function inProcess(
  environment: Readonly<Record<string, string>>,
  timing: Timing,
  line: readonly string[],
  input: readonly Uint8Array[] = [],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const io = capturedIo(environment, undefined, input);
  const code = await run([...line], { ...io, timing });
  return { code, stdout: io.stdout(), stderr: io.stderr() };
}
