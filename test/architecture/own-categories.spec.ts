import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ownCategories } from "@hostledger/core";
import { expect, it } from "vitest";

/** EventStoreDB's port protects these categories from deletion; a missing category could be deleted. */

const root = join(import.meta.dirname, "../..");
const files = globSync("{packages,services,host}/**/src/**/*.ts", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/*.spec.ts", "**/*.fixture.ts", "**/testing/**", "**/contract/**"],
});

it("every category that the code writes or reads is one of ours", () => {
  // Tax categories (S, AE, O, E) are capital letters.
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/\bcategory: "(?<name>[a-z]\w*)"/gu)].map(({ groups }) => groups?.name ?? "");
  });
  expect(found.length).toBeGreaterThan(15);
  // An import keeps the original times in the one stream `transfer-times`, which is no aggregate's.
  expect([...new Set([...found, "transfer"])].sort()).toEqual(ownCategories);
});
