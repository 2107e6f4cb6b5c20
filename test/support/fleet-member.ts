import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { monotonicMilliseconds, realTiming, timeoutSignal } from "@hostledger/runtime";

import { commandLine } from "./programs.ts";

/** Options of a fleet's process, equal at each start. */
export interface MemberOptions {
  /** For messages: `domain-1`. */
  readonly name: string;
  /** The file of `hostledger`, for Node; by default as the tests are run with. */
  readonly program?: string;
  /** Arguments of the process. */
  readonly line: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Port of the process on 127.0.0.1. */
  readonly port: number;
}

/** A process of a fleet, which can be killed and restarted at its address. */
export interface Member {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** Of the process that runs, or ran last. */
  readonly pid: number | undefined;
  /**
   * Starts the process and waits for its `ready` line.
   * @throws Error if it ended before, with the end of its standard error.
   */
  start(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Asks it to finish, and waits. @returns its exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
  /** Stops its time with SIGSTOP until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Waits until `/readyz` answers 200, and returns its body. @throws Error if that takes too long. */
  ready(): Promise<void>;
  /** Returns the end of its standard error, over all starts. */
  complaints(): string;
  /** Unexpected ends of the process. */
  readonly accidents: readonly string[];
}

/** Maximum time to become ready, in milliseconds: eight processes may start at once on two cores. */
const readyLimitMs = 120_000;
const keptComplaints = 8_000;

/** Describes a process; `start` starts it. */
export function fleetMember({ name, program = commandLine, line, environment, port }: MemberOptions): Member {
  let child: ChildProcess | undefined;
  let complaints = "";
  let isExpected = false;
  const accidents: string[] = [];

  async function start(): Promise<void> {
    isExpected = false;
    const started = spawn(process.execPath, [program, ...line], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    const ended = once(started, "close").then(() => {
      const how = `exit ${String(started.exitCode ?? started.signalCode)}`;
      if (!isExpected) accidents.push(`${name}: ${how}: ${complaints.slice(-1_000)}`);
      return how;
    });
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints = (complaints + text).slice(-keptComplaints);
    });
    const ready = new Promise<undefined>((resolve) => {
      createInterface({ input: started.stdout }).on("line", (text) => {
        if (text.startsWith("ready ")) resolve(undefined);
      });
    });
    const how = await Promise.race([ready, ended]);
    if (how !== undefined) throw new Error(`${name} was not ready before its ${how}: ${complaints}`);
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child === undefined) return null;
    isExpected = true;
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, "close");
      child.kill(signal);
      await closed;
    }
    return child.exitCode;
  }

  const url = `http://127.0.0.1:${String(port)}`;
  return {
    name,
    port,
    url,
    get pid() {
      return child?.pid;
    },
    start,
    accidents,
    ready: () => untilReady(name, url),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    freeze: () => child?.kill("SIGSTOP"),
    thaw: () => child?.kill("SIGCONT"),
    complaints: () => complaints,
  };
}

async function untilReady(name: string, url: string): Promise<void> {
  const until = monotonicMilliseconds() + readyLimitMs;
  let last = "nothing";
  while (monotonicMilliseconds() < until) {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: timeoutSignal(10_000) });
      last = await answer.text();
      if (answer.ok) return;
    } catch (error) {
      last = String(error);
    }
    await realTiming.sleep(50);
  }
  throw new Error(`${name} did not become ready: ${last}`);
}
