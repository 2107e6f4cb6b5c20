import { describe, expect, it } from "vitest";

import { rejectionOf } from "../errors/rejection-error.ts";
import { caught } from "../testing/caught.fixture.ts";
import { requestedPage } from "./requested-page.ts";

describe("a page of a list", () => {
  it("is the first one of 1,000 rows by default", () => {
    expect(requestedPage(undefined)).toEqual({ afterId: 0, limit: 1_000 });
    expect(requestedPage({ afterId: 0n, limit: 0 })).toEqual({ afterId: 0, limit: 1_000 });
  });

  it.each([
    { afterId: 1n, limit: 1 },
    { afterId: BigInt(Number.MAX_SAFE_INTEGER), limit: 1_001 },
  ])("may begin after $afterId and hold $limit rows", ({ afterId, limit }) => {
    expect(requestedPage({ afterId, limit })).toEqual({ afterId: Number(afterId), limit });
  });

  it.each([
    ["afterId", { afterId: -1n, limit: 1 }],
    ["afterId", { afterId: BigInt(Number.MAX_SAFE_INTEGER) + 1n, limit: 1 }],
    ["limit", { afterId: 0n, limit: 1_002 }],
    ["limit", { afterId: 0n, limit: -1 }],
    ["limit", { afterId: 0n, limit: 0.5 }],
    ["limit", { afterId: 0n, limit: Number.NaN }],
  ])("is refused with a bad %s: %o", async (field, page) => {
    const error = await caught(Promise.resolve(page).then(requestedPage));
    const { code, detail } = rejectionOf(error);
    expect([code, Object.keys(detail?.fieldErrors ?? {})]).toEqual(["validation-failed", [field]]);
  });
});
