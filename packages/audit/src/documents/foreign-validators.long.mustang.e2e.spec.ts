import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import type { DocumentInput } from "./document.ts";
import { buyer, electronic, invoice, seller, taxed } from "./document.fixture.ts";
import { renderDocument } from "./index.ts";

/**
 * Our documents as Mustang judges them: PDF/A-3 by veraPDF, the XML inside by the official schemas and rules of EN 16931, and
 * by those of KoSIT for an XRechnung. `tools/fetch-mustang` gets it from Maven Central.
 */

interface Verdict {
  readonly pdf: string;
  readonly xml: string;
  /** Rules that are not kept. Mustang judges every document by those of XRechnung too, as a notice. */
  readonly broken: readonly string[];
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hostledger-mustang-"));
  onTestFinished(() => {
    rmSync(path, { recursive: true });
  });
  return path;
}

/** Runs Mustang on a folder, and returns what it says. It ends with 1 where a file is not valid. */
function mustang(path: string): Promise<string> {
  const options = ["--disable-file-logging", "--action", "validateExpectValid", "-d", path];
  const line = ["-jar", process.env.TEST_MUSTANG ?? "", ...options];
  return new Promise((resolve) => {
    execFile("java", line, { cwd: path, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
      resolve(`${stdout}\n${stderr}`);
    });
  });
}

/** Validates the files of a folder. @returns verdicts by file name; Mustang's log names files by their hashes. */
async function verdicts(path: string): Promise<Readonly<Record<string, Verdict>>> {
  const said = await mustang(path);
  const names = new Map(
    readdirSync(path).map((name) => [
      createHash("sha1")
        .update(readFileSync(join(path, name)))
        .digest("hex")
        .toUpperCase(),
      name,
    ]),
  );
  const pattern = /Parsed PDF:(\w+) XML:(\w+) .*Checksum:([0-9A-F]{40}) Profile:(\S*) .*ErrorIDs: \[(.*)\]/gu;
  const found = [...said.matchAll(pattern)].map(
    ([, pdf = "", xml = "", hash = "", profile = "", ids = ""]) => {
      const isXRechnung = profile.includes("xrechnung");
      const broken = ids.split(",").filter((id) => id !== "" && (isXRechnung || /^BR-(?!DE-)/u.test(id)));
      return [names.get(hash) ?? hash, { pdf, xml, broken }] as const;
    },
  );
  return Object.fromEntries(found);
}

const inputs: readonly (readonly [string, DocumentInput])[] = [
  ...taxed,
  ...electronic.map(([name, document]) => [name, { document, seller, buyer }] as const),
  [
    "letters of all fonts",
    { document: invoice, seller, buyer: { accountId: 7, name: "Łukasz Αθήνα Київ 山田 김 😀" } },
  ],
];

it("every kind of document is PDF/A-3 and keeps EN 16931, and those for public buyers XRechnung", async () => {
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
  expect(await verdicts(path)).toEqual(expected);
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
  const found = await verdicts(path);
  expect(found["sum.xml"]).toMatchObject({ xml: "invalid", broken: expect.arrayContaining(["BR-CO-15"]) });
  expect(found["part.pdf"]).toMatchObject({ pdf: "invalid" });
});
