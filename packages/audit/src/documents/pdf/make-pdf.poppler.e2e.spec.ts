import { execFileSync } from "node:child_process";

import { expect, it } from "vitest";

import { createLettering } from "./lettering.ts";
import { makePdf } from "./make-pdf.ts";

/** Reads the PDF with pdftotext of Debian's poppler-utils, which tools/setup installs. */

function drawn(text: string): Promise<Uint8Array> {
  const info = { creationDate: new Date(0) };
  return makePdf({ info, content: [{ text: createLettering().set(text) }] });
}

it("preserves each character as text, even if an earlier document drew its glyph as part of another one", async () => {
  await drawn("Ấ Ẃ Ỵ Ž Ǩ Ḹ Ḿ Ṙ");
  const input = await drawn("AWYZKLMR");
  expect(execFileSync("pdftotext", ["-", "-"], { input, encoding: "utf8" }).trim()).toBe("AWYZKLMR");
});

it("makes the same bytes, whatever other characters documents drew before", async () => {
  const texts = ["Ärger", "Account", "Straße ffi", "株式会社やまだ", "주식회사한국", "Αθήνα Київ"];
  const first = await Promise.all(texts.map(drawn));
  const later = await Promise.all(texts.toReversed().map(drawn));
  expect(later.toReversed()).toEqual(first);
});
