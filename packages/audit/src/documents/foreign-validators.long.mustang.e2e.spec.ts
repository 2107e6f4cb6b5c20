import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import type { DocumentInput } from "./document.ts";
import { buyer, electronic, invoice, seller, taxed } from "./document.fixture.ts";
import { renderDocument } from "./index.ts";
import { judgeByMustang, type Verdict } from "./mustang.fixture.ts";

/**
 * Our documents as Mustang judges them: PDF/A-3 by veraPDF, the XML inside by the official schemas and rules of EN 16931, and
 * by those of KoSIT for an XRechnung. `tools/fetch-mustang` gets it from Maven Central.
 */

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hostledger-mustang-"));
  onTestFinished(() => {
    rmSync(path, { recursive: true });
  });
  return path;
}

const inputs: readonly (readonly [string, DocumentInput])[] = [
  ...taxed,
  ...electronic.map(([name, document]) => [name, { document, seller, buyer }] as const),
  [
    "letters of all fonts",
    { document: invoice, seller, buyer: { accountId: 7, name: "Łukasz Αθήνα Київ 山田 김 😀" } },
  ],
];

it("every kind of document is PDF/A-3 and obeys EN 16931, and those for public buyers XRechnung", async () => {
  const path = folder();
  const expected: Record<string, Verdict> = {};
  for (const [name, input] of inputs) {
    const { pdf, xml = new Uint8Array() } = await renderDocument(input);
    const file = name.replaceAll(/\W+/gu, "-");
    writeFileSync(join(path, `${file}.pdf`), pdf);
    writeFileSync(join(path, `${file}.xml`), xml);
    expected[`${file}.pdf`] = { pdf: "valid", xml: "valid", broken: [] };
    expected[`${file}.xml`] = { pdf: "absent", xml: "valid", broken: [] };
  }
  expect(await judgeByMustang(path)).toEqual(expected);
});

it("documents that break a rule are found", async () => {
  const path = folder();
  const { pdf, xml } = await renderDocument({ document: invoice, seller, buyer });
  const text = Buffer.from(xml ?? []).toString();
  writeFileSync(
    join(path, "sum.xml"),
    text.replace("<ram:GrandTotalAmount>23.81", "<ram:GrandTotalAmount>23.82"),
  );
  const bytes = Buffer.from(pdf).toString("latin1").replace("<pdfaid:part>3", "<pdfaid:part>1");
  writeFileSync(join(path, "part.pdf"), bytes, "latin1");
  const found = await judgeByMustang(path);
  expect(found["sum.xml"]).toMatchObject({ xml: "invalid", broken: expect.arrayContaining(["BR-CO-15"]) });
  expect(found["part.pdf"]).toMatchObject({ pdf: "invalid" });
});
