import type { DocumentArchive } from "@hostledger/store/documents";
import { yieldToOthers } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { watchArchive } from "./open-documents.ts";

/** An archive that fails while the test says so. */
function brokenArchive(): DocumentArchive & { isBroken: boolean } {
  const answer = <Result>(result: Result): Promise<Result> =>
    broken.isBroken ? Promise.reject(new Error("no connection")) : Promise.resolve(result);
  const broken: DocumentArchive & { isBroken: boolean } = {
    isBroken: true,
    put: (_name, sealed) => answer(sealed),
    get: () => answer(undefined),
    remove: () => answer(undefined),
    close: () => Promise.resolve(),
  };
  return broken;
}

describe("the state of an archive that failed", () => {
  it.each([
    [true, "available"],
    [false, "unavailable"],
  ] as const)("is read again on request, if replicas share it: %s", async (isShared, after) => {
    const broken = brokenArchive();
    const { archive, state } = watchArchive(broken, { isShared });
    await expect(archive.get({ documentId: 7, format: "pdf" })).rejects.toThrow("no connection");
    expect(state()).toBe("unavailable");
    await yieldToOthers();
    expect(state()).toBe("unavailable");
    broken.isBroken = false;
    await yieldToOthers();
    state();
    await yieldToOthers();
    expect(state()).toBe(after);
  });
});
