import { createFileSink, exportStore, fileSource, importStore } from "@hostledger/store";
import { allEvents, transferFolder, writeLog } from "@hostledger/store/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startServedStore } from "./served-store.fixture.ts";

let folder: ReturnType<typeof transferFolder>;
beforeEach(() => {
  folder = transferFolder();
});
afterEach(async () => {
  await folder.dispose();
});

const header = { exportedAt: "2026-01-02T04:00:00.000000Z", engine: "embedded" };

describe("a store that goes through the adapter into a fresh node, and back", () => {
  it(
    "streams are equal byte for byte, and the way back has the original times",
    { timeout: 60_000 },
    async () => {
      const from = await folder.store();
      const bodies = [
        { data: '{ "spaces" : 1.0,\n"twice":1,"twice":2 }', metadata: '{"ä":"\\u00e4"}' },
        { data: '{"big":12345678901234567890}', metadata: "{}" },
      ];
      await writeLog(
        from,
        Array.from({ length: 40 }, (_, index) => ({ stream: `account-${String(index % 3)}`, texts: bodies })),
      );
      const path = folder.file();
      const { sha256 } = await exportStore(from, await createFileSink(path), header);
      const served = await startServedStore();
      try {
        await importStore(served.store, fileSource(path));
        for (const stream of ["account-0", "account-1", "account-2"]) {
          const [ours, theirs] = [await texts(from, stream), await texts(served.store, stream)];
          expect(theirs).toEqual(ours);
        }
        const back = folder.file();
        await exportStore(served.store, await createFileSink(back), header);
        const to = await folder.store();
        await importStore(to, fileSource(back));
        expect(await allEvents(to)).toEqual(await allEvents(from));
        const again = await exportStore(to, await createFileSink(folder.file()), header);
        expect(again.sha256).toBe(sha256);
      } finally {
        await served.stop();
      }
    },
  );
});

async function texts(store: Awaited<ReturnType<typeof folder.store>>, stream: string) {
  const found = [];
  for await (const { id, type, data, metadata, revision } of store.read(stream)) {
    found.push({ id, type, data, metadata, revision });
  }
  return found;
}
