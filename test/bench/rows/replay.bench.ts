import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { ratePerSecond, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { startPostgres } from "../peers/postgres.ts";
import { writeHistory } from "../replay/history.ts";
import { measureOne, measureTwoSizes, type WholeReading } from "../replay/two-sizes.ts";

/**
 * (e) A full rebuild of all read models of both services, in files and in PostgreSQL, against a loop that only reads the same file and parses
 * every event; and the memory that the rebuilding process holds, at ten times the events against that at one.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const onFiles = await measureTwoSizes(settings, {
    ...reading(),
    sizes: [100_000, 1_000_000],
    quickSizes: [1_000, 3_000],
    rateAim: ratePerSecond(100_000),
  });
  const postgres = await startPostgres(join(settings.directory, "postgres"));
  try {
    const onServer = await measureOne(
      settings,
      { ...reading(postgres.url), rateAim: ratePerSecond(50_000) },
      settings.quick ? 2_000 : 200_000,
    );
    return {
      lines: [...onFiles.lines, onServer.rate],
      notes: [...onFiles.notes, ...onServer.notes, `PostgreSQL: ${postgres.settings}.`],
    };
  } finally {
    await postgres.stop();
  }
}

/** The rebuild of a log that is written for it. @param url of the PostgreSQL server that has the read models */
function reading(url?: string): Omit<WholeReading, "sizes" | "quickSizes" | "rateAim"> {
  return {
    async prepare(directory, events) {
      const own = join(directory, String(events));
      mkdirSync(own);
      const path = join(own, "events.sqlite");
      const stored = await writeHistory(path, events);
      return { stored, ours: [path, own, ...(url === undefined ? [] : [url])], bare: [path] };
    },
    ours: {
      program: new URL("../replay/rebuild.child.ts", import.meta.url),
      name: "rebuild",
      unit: url === undefined ? "rebuilt events/s" : "rebuilt in PostgreSQL, events/s",
    },
    bare: { program: new URL("../replay/bare-read.child.ts", import.meta.url), name: "read and JSON.parse" },
    profileOf: "the rebuilding thread's time: ",
  };
}
