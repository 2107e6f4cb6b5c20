import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, onTestFinished } from "vitest";

/** Creates an empty directory; `remove` deletes it with its contents. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "hostledger-test-"));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Creates an empty directory for a test, deleted after the test's own cleanup. */
export function directoryOfTest(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

/** Creates an empty directory for all tests of a file or `describe`. */
export function directoryOfSuite(): string {
  const { path, remove } = temporaryDirectory();
  afterAll(remove);
  return path;
}
