import { readFileSync, globSync } from "node:fs";
import { basename } from "node:path";
import { hostingCodec } from "@hostledger/core";
import { describe, expect, it } from "vitest";
import { createBooks, hostileTexts, instantAt } from "../books.fixture.ts";
import { sentenceOf } from "./sentence-of.ts";
import { timelineLine } from "./timeline.ts";

const folder = new URL("../../../../../test/fixtures/events/", import.meta.url);
const fixtures = globSync("*.json", { cwd: folder.pathname }).map((file) => ({
  type: basename(file, ".json"),
  data: readFileSync(new URL(file, folder), "utf8"),
}));

const ours = JSON.stringify({ actor: "account:7", recordedBy: "spec" });

describe("a sentence", () => {
  it("exists for every version of every event", () => {
    expect(fixtures.map(({ type }) => type).toSorted()).toEqual([...hostingCodec.versions.keys()].toSorted());
  });

  it("reports that Hostledger skips a foreign event", () => {
    expect(sentenceOf({ type: "CrmNoteTaken", data: "{}", metadata: "{}" })).toBe(
      "CrmNoteTaken, which other software wrote: Hostledger skips it.",
    );
  });

  it.each(fixtures)("describes $type", ({ type, data }) => {
    const sentence = sentenceOf({ type, data: firstOf(data), metadata: ours });
    expect(sentence).not.toMatch(/undefined|null|NaN|\[object|cannot read/u);
    expect(sentence).toMatch(/^[A-Z.\w].{5,}/u);
  });

  it.each([
    ["BalanceCharged.v9", "{}"],
    ["Unheard.v1", "{}"],
    ["BalanceCharged.v1", "nonsense"],
    ["BalanceCharged.v1", '{"chargeId":"x"}'],
  ])("reports that %s with %s cannot be read", (type, data) => {
    expect(sentenceOf({ type, data, metadata: ours })).toBe(`${type}, which this version cannot read.`);
  });
});

describe("a line of the timeline", () => {
  it.each(hostileTexts)("is one line without control characters, with any text: %j", (text) => {
    const books = createBooks({ actor: text, requestId: text });
    const data = { accountId: 7, name: text, vatExempt: false, openedAt: instantAt(0) };
    const line = timelineLine(books.store(`account-${text}`, instantAt(0), "AccountOpened.v1", data));
    expect(line.endsWith("\n")).toBe(true);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(line.isWellFormed()).toBe(true);
  });

  it("names no actor if the metadata has none", () => {
    const event = createBooks({}).store("x", instantAt(0), "DomainSuspended.v1", {
      domainId: 3,
      suspendedAt: instantAt(0),
    });
    expect(timelineLine({ ...event, metadata: "no JSON" })).toBe(
      `${instantAt(0)}  x@0  DomainSuspended: Staff suspended the domain.\n`,
    );
  });
});

function firstOf(text: string): string {
  const value: unknown = JSON.parse(text);
  return JSON.stringify(Array.isArray(value) ? value[0] : value);
}
