import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StartedParts, StartOptions } from "@hostledger/host";
import { yieldToOthers } from "@hostledger/runtime";
import { run } from "../cli.ts";
import type { System } from "../command-context.ts";
import type { CapturedIo } from "./captured-io.ts";

/** A system that starts at once and does nothing. */
export interface FakeSystem {
  readonly start: (options: StartOptions) => Promise<StartedParts>;
  readonly calls: readonly string[];
  /** Resolves with the options when the instance starts. */
  readonly started: Promise<StartOptions>;
}

export function fakeSystem(changes: Partial<StartedParts> = {}): FakeSystem {
  const calls: string[] = [];
  const started = Promise.withResolvers<StartOptions>();
  return {
    calls,
    started: started.promise,
    start: (options) => {
      calls.push("started");
      started.resolve(options);
      return Promise.resolve({
        baseUrl: "http://h:8080/api/v1",
        adminUrl: "http://h:8081",
        rpcUrl: "http://h:8082",
        openDemo: () => Promise.resolve(undefined),
        close: () => {
          const announced = existsSync(join(options.configuration.data, "instance.json"));
          calls.push(announced ? "closed, still announced" : "closed");
          return Promise.resolve();
        },
        ...changes,
      });
    },
  };
}

const nothingRuns = (): never => {
  throw new Error("Nothing else runs here.");
};

/** A system without parts; starting any part fails. */
export const nothing: System = {
  startParts: nothingRuns,
  startStandaloneNode: nothingRuns,
  exportStoreFile: nothingRuns,
  importStoreFile: nothingRuns,
  makeBackup: nothingRuns,
  makeServiceKeys: nothingRuns,
  restoreBackup: nothingRuns,
  startSandboxRegistry: nothingRuns,
  checkProviders: nothingRuns,
};

export function startWith(
  { start }: Pick<FakeSystem, "start">,
  data: string,
  io: CapturedIo,
  ...flags: string[]
): Promise<number> {
  return run(["start", "--data", data, ...flags], io, {
    loadSystem: () => Promise.resolve({ ...nothing, startParts: (_, options) => start(options) }),
  });
}

/** Waits until the instance has printed that it is ready. */
export async function untilReady(io: CapturedIo): Promise<void> {
  while (!io.stdout().includes("ready ")) await yieldToOthers();
}
