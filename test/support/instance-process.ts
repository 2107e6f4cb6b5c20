import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { join } from "node:path";

import { staffClient, type StaffClient } from "./staff-client.ts";

const commandLine = fileURLToPath(import.meta.resolve("../../packages/cli/src/main.ts"));

/** A whole instance in a process of its own, as an operator runs it. */
export interface InstanceProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly staff: StaffClient;
  readonly data: string;
  /** Ends it as a power cut would end the process. */
  kill(): Promise<void>;
  /** Asks it to finish and waits. @returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `hostledger start` on free ports and waits until it is ready. */
export async function startInstanceProcess(
  data: string,
  {
    environment = {},
    entry = commandLine,
    flags = [],
  }: {
    readonly environment?: Readonly<Record<string, string>>;
    /** Another program with the same command line, for tests that crash it on purpose. */
    readonly entry?: string;
    readonly flags?: readonly string[];
  } = {},
): Promise<InstanceProcess> {
  const child = spawn(
    process.execPath,
    [entry, "start", "--port", "0", "--admin-port", "0", "--data", data, ...flags],
    {
      env: { ...process.env, HOSTLEDGER_LOG_LEVEL: "error", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const exited = once(child, "exit");
  let complaints = "";
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (complaints = (complaints + text).slice(-4_000)));
  const ready = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("ready ")) ready.resolve(line.slice("ready ".length));
  });
  const baseUrl = await Promise.race([ready.promise, exited.then(() => undefined)]);
  if (baseUrl === undefined) throw new Error(`the instance ended before it was ready: ${complaints}`);

  const instance: unknown = JSON.parse(readFileSync(join(data, "instance.json"), "utf8"));
  const adminUrl = String(Reflect.get(Object(instance), "admin_url"));
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return {
    child,
    baseUrl,
    data,
    staff: staffClient(adminUrl, credential),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}
