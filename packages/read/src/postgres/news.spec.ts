import { describe, expect, it } from "vitest";

import { decodeNews, encodeNews, News } from "./news.ts";

const signal = new AbortController().signal;
const advances = new Map([
  ["domains", 7n],
  ["prices", 9n],
]);

describe("a notification", () => {
  it("names the moved checkpoints and their positions", () => {
    expect(encodeNews(advances)).toBe("domains=7 prices=9");
    expect(decodeNews(encodeNews(advances))).toEqual(advances);
  });

  it("omits rows if there are too many to list", () => {
    expect(encodeNews(undefined)).toBe("");
    expect(encodeNews(new Map())).toBe("");
    const many = new Map(Array.from({ length: 1_000 }, (_, index) => [`projection_${String(index)}`, 1n]));
    expect(encodeNews(many)).toBe("");
  });

  it.each(["", "domains", "domains=", "domains=-1", "domains=1 ", "12", "domains=99999999999999999999"])(
    "of another form, such as '%s', is ignored",
    (text) => {
      expect(decodeNews(text)).toBeUndefined();
    },
  );
});

describe("news", () => {
  it("is the latest state of each checkpoint, taken once", async () => {
    const news = new News();
    news.receive("domains=7 prices=7");
    news.receive("domains=9");
    expect(await news.take(60_000, signal)).toEqual(
      new Map([
        ["domains", 9n],
        ["prices", 7n],
      ]),
    );
    expect(await news.take(0, signal)).toBeUndefined();
  });

  it("is waited for", async () => {
    const news = new News();
    const taken = news.take(60_000, signal);
    news.receive("domains=7");
    expect(await taken).toEqual(new Map([["domains", 7n]]));
  });

  it("must be read again if one of several notifications is incomplete", async () => {
    const news = new News();
    news.receive("domains=7");
    news.receive("");
    expect(await news.take(60_000, signal)).toBeUndefined();
    news.receive("domains=8");
    expect(await news.take(60_000, signal)).toEqual(new Map([["domains", 8n]]));
  });
});
