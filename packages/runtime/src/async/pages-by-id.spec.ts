import { turns } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { pagesById } from "./pages-by-id.ts";

async function pagesOf(count: number, size: number, after = 0) {
  const asked: number[] = [];
  const read = (afterId: number, limit: number) => {
    asked.push(afterId);
    const rows = Array.from({ length: count }, (_, index) => ({ id: 10 * (index + 1) }));
    return Promise.resolve(rows.filter(({ id }) => id > afterId).slice(0, limit));
  };
  const pages: number[][] = [];
  for await (const page of pagesById({ read, idOf: ({ id }) => id, size, after }))
    pages.push(page.map(({ id }) => id));
  return { pages, asked };
}

it.each([
  [0, [], [0]],
  [2, [[10, 20]], [0]],
  [3, [[10, 20, 30]], [0, 30]],
  [4, [[10, 20, 30], [40]], [0, 30]],
])(
  "of %i rows come in full pages and the rest, without a request after a partial page",
  async (count, pages, asked) => {
    expect(await pagesOf(count, 3)).toEqual({ pages, asked });
  },
);

it("begin behind an id", async () => {
  expect((await pagesOf(4, 3, 20)).pages).toEqual([[30, 40]]);
});

it("yield before each further page, if nothing else is awaited", async () => {
  const counted = turns();
  await pagesOf(100, 10);
  expect(counted()).toBeGreaterThanOrEqual(9);
});
