import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, onTestFinished } from "vitest";

/** A new empty directory, removed with everything in it by `remove`. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "hostledger-test-"));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A new empty directory for the test that asks for it, gone after what the test itself puts back at its end. */
export function directoryOfTest(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

/** A new empty directory for all tests of the file, or of the `describe`, that asks for it. */
export function directoryOfSuite(): string {
  const { path, remove } = temporaryDirectory();
  afterAll(remove);
  return path;
}
