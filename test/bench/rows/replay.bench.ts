import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { ratePerSecond, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { writeHistory } from "../replay/history.ts";
import { measureTwoSizes } from "../replay/two-sizes.ts";

/**
 * (e) A full rebuild of all read models of both services, against a loop that only reads the same file and parses
 * every event; and the memory that the rebuilding process holds, at ten times the events against that at one.
 */
export function measure(settings: Settings): Promise<RowResult> {
  return measureTwoSizes(settings, {
    sizes: [100_000, 1_000_000],
    quickSizes: [5_000, 15_000],
    async prepare(directory, events) {
      const own = join(directory, String(events));
      mkdirSync(own);
      const path = join(own, "events.sqlite");
      return { stored: await writeHistory(path, events), ours: [path, own], bare: [path] };
    },
    ours: {
      program: new URL("../replay/rebuild.child.ts", import.meta.url),
      name: "rebuild",
      unit: "rebuilt events/s",
    },
    bare: { program: new URL("../replay/bare-read.child.ts", import.meta.url), name: "read and JSON.parse" },
    rateAim: ratePerSecond(100_000),
    profileOf: "the rebuilding thread's time: ",
  });
}
