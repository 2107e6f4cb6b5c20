import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { renderErrorDocument } from "./error-document.ts";

describe("docs/reference/errors.md", () => {
  it("equals the catalogue and the table", () => {
    const written = readFileSync(new URL("../../../../docs/reference/errors.md", import.meta.url), "utf8");
    expect(written).toBe(renderErrorDocument());
  });
});
