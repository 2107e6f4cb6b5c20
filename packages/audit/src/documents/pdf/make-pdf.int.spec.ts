import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { createLettering } from "./lettering.ts";
import { makePdf } from "./make-pdf.ts";

async function hashOf(text: string): Promise<string> {
  const info = { creationDate: new Date(0) };
  const pdf = await makePdf({ info, content: [{ text: createLettering().set(text) }] });
  return createHash("sha256").update(pdf).digest("hex");
}

it("makes the same bytes, whatever other characters the open fonts drew before", async () => {
  const texts = ["Straße ffi", "株式会社やまだ", "주식회사한국", "Αθήνα Київ"];
  const first = await Promise.all(texts.map(hashOf));
  const reversed = await Promise.all(texts.toReversed().map(hashOf));
  expect(reversed.toReversed()).toEqual(first);
  expect(new Set(first).size).toBe(texts.length);
});
