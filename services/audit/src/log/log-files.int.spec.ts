import { open } from "node:fs/promises";
import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, vi } from "vitest";

import { logFiles } from "./log-files.ts";

const path = "tile/1/000.p/1";

it("leaves a file unchanged if there is no room for its successor", async () => {
  const folder = directoryOfTest();
  const files = logFiles(folder);
  const published = new Uint8Array(32).fill(1);
  await files.write(path, published);

  // The disk became full after the file was opened.
  await using probe = await open(join(folder, "probe"), "w");
  const handles: Pick<typeof probe, "writeFile"> = Object.getPrototypeOf(probe);
  const full = vi
    .spyOn(handles, "writeFile")
    .mockRejectedValueOnce(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
  await expect(files.write(path, published)).rejects.toThrow("no space left on device");
  full.mockRestore();
  expect(await files.read(path)).toEqual(Buffer.from(published));

  const next = new Uint8Array(32).fill(2);
  await files.write(path, next);
  expect(await files.read(path)).toEqual(Buffer.from(next));
});
