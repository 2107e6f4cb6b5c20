import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { exportStore } from "./export-store.ts";
import { createFileSink, fileSource, type TransferSink } from "./file-sink.ts";
import { importStore } from "./import-store.ts";
import { transferFolder, writeLog, type RandomAppend } from "./random-log.fixture.ts";

let folder: ReturnType<typeof transferFolder>;
beforeEach(() => {
  folder = transferFolder();
});
afterEach(async () => {
  await folder.dispose();
});

const header = { exportedAt: "2026-01-02T04:00:00.000000Z", engine: "embedded" };

/** Makes appends of 100 events of about 300 bytes, on 50 streams in turn. */
function largeLog(appends: number): readonly RandomAppend[] {
  const texts = Array.from({ length: 100 }, (_, index) => ({
    data: JSON.stringify({ index, text: "x".repeat(200) }),
    metadata: '{"actor":"staff"}',
  }));
  return Array.from({ length: appends }, (_, index) => ({ stream: `account-${String(index % 50)}`, texts }));
}

describe("100,000 events", () => {
  it("go from store to file to store in memory that does not hold them", async () => {
    const [from, to] = [await folder.store(), await folder.store()];
    await writeLog(from, largeLog(1_000));
    const path = folder.file();
    // Samples heap and buffers at each step. Garbage may remain, so the limit is twice the size of a page of each.
    let peakBytes = 0;
    const start = process.memoryUsage();
    const sample = (): void => {
      const { heapUsed, external } = process.memoryUsage();
      peakBytes = Math.max(peakBytes, heapUsed + external - start.heapUsed - start.external);
    };
    const summary = await exportStore(from, await createFileSink(path), { ...header, onProgress: sample });
    expect(summary.events).toBe(100_000);
    await importStore(to, fileSource(path), { onProgress: sample });
    expect(peakBytes).toBeLessThan(192 * 1_048_576);
    expect(await to.lastPosition()).toBe(100_000n);
  });
});

describe("a sink that fails", () => {
  it("leaves nothing, and reports the system's error", async () => {
    const store = await folder.store();
    await writeLog(store, largeLog(100));
    const path = folder.file();
    const file = await createFileSink(path);
    let writes = 0;
    const full: TransferSink = {
      ...file,
      write: (text) => {
        writes += 1;
        if (writes < 2) return file.write(text);
        const error = new Error("ENOSPC: no space left on device, write");
        return Promise.reject(Object.assign(error, { code: "ENOSPC" }));
      },
    };
    await expect(exportStore(store, full, header)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("file-"))).toEqual([]);
  });

  it("cannot be created in place of a directory, or beside another running export", async () => {
    await expect(createFileSink(`${folder.file()}/missing/file`)).rejects.toMatchObject({ code: "ENOENT" });
    const path = folder.file();
    const growing = await createFileSink(path);
    await expect(createFileSink(path)).rejects.toMatchObject({ code: "EEXIST" });
    await growing.discard();
    expect(existsSync(`${path}.partial`)).toBe(false);
  });

  it("retains the older file until the new one is complete", async () => {
    const path = folder.file();
    writeFileSync(path, "older");
    const store = await folder.store();
    await exportStore(store, await createFileSink(path), header);
    expect(await importStore(await folder.store(), fileSource(path))).toMatchObject({
      events: 0,
      streams: 0,
    });
  });
});
