import { turns } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import type { Answer } from "./answer.ts";
import { textOf } from "./kept-json.ts";
import { listed, type ServicePage } from "./listing.ts";

interface Item {
  readonly id: number;
}

/** A service with `count` items whose ids are 2, 4, 6, … */
function serviceOf(count: number) {
  const asked: ServicePage[] = [];
  const read = (page: ServicePage): Promise<readonly Item[]> => {
    asked.push(page);
    const ids = Array.from({ length: count }, (_, at) => (at + 1) * 2);
    return Promise.resolve(
      ids
        .filter((id) => id > Number(page.afterId))
        .slice(0, page.limit)
        .map((id) => ({ id })),
    );
  };
  return { asked, read };
}

const idsOf = (text: Answer["text"] = ""): readonly number[] =>
  (JSON.parse(textOf(text)) as readonly Item[]).map(({ id }) => id);

describe("a page", () => {
  it("has no link when it is the last, even if it is full", async () => {
    const { read } = serviceOf(3);
    const answer = await listed("/domains", { limit: 3 }, read);
    expect(idsOf(answer.text)).toEqual([2, 4, 6]);
    expect(answer.headers).toBeUndefined();
  });

  it("has a link to the next, which continues after its last item", async () => {
    const { asked, read } = serviceOf(5);
    const first = await listed("/domains", { limit: 2 }, read);
    expect(idsOf(first.text)).toEqual([2, 4]);
    expect(first.headers).toEqual({ Link: '</api/v1/domains?limit=2&after=4>; rel="next"' });
    const second = await listed("/domains", { limit: 2, after: 4n }, read);
    expect(idsOf(second.text)).toEqual([6, 8]);
    expect(second.headers).toEqual({ Link: '</api/v1/domains?limit=2&after=8>; rel="next"' });
    const third = await listed("/domains", { limit: 2, after: 8n }, read);
    expect(idsOf(third.text)).toEqual([10]);
    expect(third.headers).toBeUndefined();
    expect(asked.map(({ limit }) => limit)).toEqual([3, 3, 3]);
  });

  it("has the operation's other parameters in its link", async () => {
    const query = { limit: 1, status: "a&b", after: 2n, absent: undefined };
    const { headers } = await listed("/tickets", query, serviceOf(3).read);
    expect(headers).toEqual({ Link: '</api/v1/tickets?limit=1&status=a%26b&after=4>; rel="next"' });
  });

  it("is empty after the last item, and of an empty list", async () => {
    expect(await listed("/domains", { limit: 5, after: 6n }, serviceOf(3).read)).toEqual({
      status: 200,
      text: "[]",
    });
    expect(await listed("/domains", { limit: 5 }, serviceOf(0).read)).toEqual({ status: 200, text: "[]" });
  });
});

describe("a whole list", () => {
  it.each([0, 1, 999])("of %i items is a single read", async (count) => {
    const { asked, read } = serviceOf(count);
    const answer = await listed("/domains", {}, read);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.rest).toBeUndefined();
    expect(idsOf(answer.text)).toHaveLength(count);
    expect(asked).toEqual([{ afterId: 0n, limit: 1_000 }]);
  });

  it.each([1_000, 1_001, 2_000, 2_500])("of %i items is read page by page, each item once", async (count) => {
    const { asked, read } = serviceOf(count);
    const answer = await listed("/domains", {}, read);
    expect(asked).toHaveLength(1);
    const all = [answer.text];
    for await (const page of answer.rest ?? []) all.push(page);
    expect(all.flatMap(idsOf)).toEqual(Array.from({ length: count }, (_, at) => (at + 1) * 2));
    expect(asked).toHaveLength(Math.floor(count / 1_000) + 1);
  });

  it("yields before each further page, however fast the client reads", async () => {
    const { asked, read } = serviceOf(4_500);
    const answer = await listed("/domains", {}, read);
    const counted = turns();
    const atPage: number[] = [];
    for await (const _page of answer.rest ?? []) atPage.push(counted());
    expect(asked).toHaveLength(5);
    expect(atPage.map((turn, at) => turn > (atPage[at - 1] ?? 0))).toEqual([true, true, true, true]);
  });

  it("begins after `after`", async () => {
    const answer = await listed("/domains", { after: 4n }, serviceOf(4).read);
    expect(idsOf(answer.text)).toEqual([6, 8]);
  });

  it("is written while it is read, page by page", async () => {
    const read = async (page: ServicePage) =>
      (await serviceOf(1_001).read(page)).map(({ id }) => ({ id: BigInt(id) }));
    const { text, rest = [] } = await listed("/domains", {}, read, (items) => `[${String(items.length)}]`);
    const pages = [text];
    for await (const page of rest) pages.push(page);
    expect(pages).toEqual(["[1000]", "[1]"]);
  });

  it("throws an error of the first read before an answer begins", async () => {
    await expect(listed("/domains", {}, () => Promise.reject(new Error("down")))).rejects.toThrow("down");
  });
});
