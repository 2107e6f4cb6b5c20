import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

/** Small entry points of runtime, whose files are followed like files of this package. */
const doors = new Map([
  ["@hostledger/runtime/event-loop", "async/event-loop.ts"],
  ["@hostledger/runtime/lru", "async/lru.ts"],
  ["@hostledger/runtime/sqlite-code", "sqlite-code.ts"],
]);
const behindDoors = join(import.meta.dirname, "../../../runtime/src");

/** Returns the packages that a file and its imports load; `import type` loads nothing. */
function loadedBy(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const statements = readFileSync(file, "utf8").matchAll(
    /^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm,
  );
  return Array.from(statements, ([, from = ""]) => from).flatMap((from) => {
    const door = doors.get(from);
    if (door !== undefined) return loadedBy(join(behindDoors, door), seen);
    return from.startsWith(".") ? loadedBy(join(dirname(file), from), seen) : [from];
  });
}

it("loads its own files, SQLite and a cache of a millisecond, and none of the rules: every start of a store waits for it", () => {
  const loaded = new Set(loadedBy(join(import.meta.dirname, "writer.worker.ts")));
  expect([...loaded].toSorted()).toEqual([
    "lru-cache",
    "node:sqlite",
    "node:timers/promises",
    "node:worker_threads",
  ]);
});
