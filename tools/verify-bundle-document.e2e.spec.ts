import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { generateSigner, type LogEvent } from "@hostledger/audit/log";
import { verifyDocument } from "@hostledger/audit/verification";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, describe, expect, it } from "vitest";

import { program, runAs, signer } from "./bundle-under-test.fixture.ts";
import { archived, archivedEvent, content, proofOf } from "./document-proof.fixture.ts";
import { eventAt } from "./verify-bundle.fixture.ts";

/** The same proofs for `verify-document` and for the program of bundles, which share no code. */

const files = temporaryDirectory();
afterAll(() => {
  files.remove();
});

/** Checks a proof by both. @returns the sentence of the refusal; undefined if both accept */
function refusalsOf(proof: object, keys?: readonly string[]): { code: string; plain: string } | undefined {
  const [document, path] = [join(files.path, "document"), join(files.path, "proof")];
  const text = JSON.stringify(proof);
  writeFileSync(document, content);
  writeFileSync(path, text);
  const trusted = (keys ?? []).flatMap((key) => ["--key", key]);
  const { status, findings } = runAs(program, "--document", document, "--proof", path, ...trusted);
  try {
    verifyDocument(content, text, keys);
  } catch (error) {
    expect(status).toBe(1);
    return { code: String(error), plain: findings.join("\n") };
  }
  expect(status).toBe(0);
  return undefined;
}

describe("a document and its proof", () => {
  it.each([0, 1, 2, 5, 30, 100, 200])("agree in a log of %i more events", async (more) => {
    expect(refusalsOf(await proofOf(archivedEvent(), more), [signer.verifierKey])).toBeUndefined();
  });

  it("are refused if another key signed the log than the trusted one", async () => {
    const refusal = refusalsOf(await proofOf(archivedEvent(), 3, generateSigner("hostledger/forger")), [
      signer.verifierKey,
    ]);
    expect(refusal?.code).toContain("No known key has signed the note");
    expect(refusal?.plain).toContain("none of the keys has signed it");
  });

  it.each<[string, LogEvent]>([
    ["another type", archivedEvent(archived, "document-42", 0, "InvoiceIssued.v3")],
    ["a later revision", archivedEvent(archived, "document-42", 1)],
    ["the stream of another document", archivedEvent(archived, "document-43")],
    ["no files", archivedEvent({ ...archived, files: [] })],
    ["no data", eventAt(1, "document-42", 0, "DocumentArchived.v1", [])],
    ["files of another form", archivedEvent({ ...archived, files: [null] })],
  ])("are refused if a signed event has %s", async (_what, proven) => {
    const refusal = refusalsOf(await proofOf(proven));
    expect(refusal?.code).toMatch(/archives no document|cannot be read/u);
    expect(refusal?.plain).toMatch(/archives no document|none of those of document/u);
  });

  it("are refused if the proof has more or fewer hashes, or leads outside of the log", async () => {
    const proof = await proofOf(archivedEvent(), 5);
    const { hashes } = proof as { hashes: readonly string[] };
    for (const other of [
      { hashes: hashes.slice(0, -1) },
      { hashes: [...hashes, ...hashes] },
      { hashes: [] },
      { index: 7 },
      { index: 2 ** 53 - 1 },
    ])
      expect(refusalsOf({ ...proof, ...other })?.plain).toContain("does not lead to the signed checkpoint");
  });

  it("need both options, and no bundle beside them", () => {
    for (const line of [
      ["--document", "x"],
      ["--proof", "x"],
      ["--document", "x", "--proof", "y", "bundle"],
    ])
      expect(runAs(program, ...line)).toMatchObject({
        status: 2,
        error: expect.stringContaining("--proof PROOF"),
      });
  });
});
