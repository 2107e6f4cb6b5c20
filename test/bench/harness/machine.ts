import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";

import { median } from "./result.ts";

/** Properties of the machine that influence the numbers. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** Median time of an fdatasync after a write of 4 KiB, in milliseconds. */
  readonly syncMs: number;
  /** Processes that wanted to run in the minute before, on average. */
  readonly loadBefore: number;
}

/** Looks at the machine and at the disk under the directory. */
export function describeMachine(directory: string, syncs: number): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    syncMs: syncCost(directory, syncs),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The machine in one line. */
export function machineLine({ cores, cpu, memoryGib, system, node, syncMs, loadBefore }: Machine): string {
  return [
    `${String(cores)} cores (${cpu})`,
    `${String(memoryGib)} GiB`,
    system,
    `Node ${node}`,
    `fdatasync of 4 KiB ${syncMs.toFixed(2)} ms`,
    `load before ${loadBefore.toFixed(1)}`,
  ].join(", ");
}

function syncCost(directory: string, syncs: number): number {
  const path = join(directory, "sync-cost");
  const file = openSync(path, "w");
  const block = Buffer.alloc(4_096, 1);
  try {
    const milliseconds = Array.from({ length: syncs }, (_, index) => {
      writeSync(file, block, 0, block.length, index * block.length);
      const startMs = performance.now();
      fdatasyncSync(file);
      return performance.now() - startMs;
    });
    return median(milliseconds);
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
