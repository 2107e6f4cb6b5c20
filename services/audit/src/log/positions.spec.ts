import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { logFiles } from "./log-files.ts";
import { createPositions } from "./positions.ts";

const bundles = 300;

/** Writes positions of bundles at 1,000, 2,000, 3,000, …, and counts the reads of their file. */
async function written() {
  const files = logFiles(directoryOfTest());
  let reads = 0;
  const counting: typeof files = {
    ...files,
    readRange: (...range) => {
      reads += 1;
      return files.readRange(...range);
    },
  };
  const made = createPositions(files);
  for (let bundle = 1; bundle < bundles; bundle += 1) made.record(bundle, BigInt(bundle) * 1_000n);
  await files.patch("positions", made.pending());
  return { files, positions: createPositions(counting), reads: () => reads };
}

it("are read from their file once, however many events are looked for", async () => {
  const { positions, reads } = await written();
  for (let position = 500n; position < BigInt(bundles) * 1_000n; position += 250n)
    expect(await positions.bundleOf(position, bundles)).toBe(Number((position - 1n) / 1_000n));
  expect(reads()).toBe(bundles - 1);
});

it("come from the store instead of the earlier read", async () => {
  const { positions } = await written();
  expect(await positions.startOf(7)).toBe(7_000n);
  await positions.replace(new Map([[7, { from: 7_100n, before: 7_200n }]]));
  expect(await positions.startOf(7)).toBe(7_100n);
});

it("that were not written yet are looked for again", async () => {
  const { files, positions } = await written();
  await expect(positions.startOf(bundles)).rejects.toThrow("does not say where its tile 300 begins");
  const later = createPositions(files);
  later.record(bundles, 300_000n);
  await files.patch("positions", later.pending());
  expect(await positions.startOf(bundles)).toBe(300_000n);
});
