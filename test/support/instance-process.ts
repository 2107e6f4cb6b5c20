import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createStaffClient, type StaffClient } from "@hostledger/rpc";

import { commandLine } from "./programs.ts";

/** A whole instance in a process of its own, as an operator runs it. */
export interface InstanceProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly staff: StaffClient;
  readonly data: string;
  /** Returns its standard output so far. */
  stdout(): string;
  /** Returns the end of its standard error so far. */
  stderr(): string;
  /** Settles when it has ended: its exit code, or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
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
    fileBlocks,
  }: {
    readonly environment?: Readonly<Record<string, string>>;
    /** Another program with the same command line, for tests that crash it on purpose. */
    readonly entry?: string;
    readonly flags?: readonly string[];
    /** No file may grow beyond so many blocks of 512 bytes. */
    readonly fileBlocks?: number | undefined;
  } = {},
): Promise<InstanceProcess> {
  const line = [entry, "start", "--port", "0", "--admin-port", "0", "--data", data, ...flags];
  const limited = ["-c", `ulimit -f ${String(fileBlocks)}; exec "$0" "$@"`, process.execPath, ...line];
  const [program, parameters] = fileBlocks === undefined ? [process.execPath, line] : ["/bin/sh", limited];
  const child = spawn(program, parameters, {
    env: {
      ...process.env,
      HOSTLEDGER_LOG_LEVEL: "error",
      HOSTLEDGER_RATE_LIMIT: "1000000",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  let output = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
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
    adminUrl,
    data,
    stdout: () => output,
    stderr: () => complaints,
    ended: exited.then(() => child.exitCode ?? child.signalCode ?? "SIGKILL"),
    staff: createStaffClient({ baseUrl: adminUrl, credential }),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}
