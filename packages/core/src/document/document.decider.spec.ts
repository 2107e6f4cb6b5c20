import { expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { document, type ArchiveDocument } from "./document.decider.ts";
import type { DocumentEvent } from "./document.events.ts";

const spec = deciderSpec(document);
const at = "2026-11-29T10:00:00.000000Z";
const files = {
  documentId: 42,
  accountId: 7,
  number: "2026-7-000001",
  files: [{ format: "pdf", bytes: 40_000, sha256: "ab".repeat(32) }],
  salt: "cd".repeat(32),
  keptUntilYear: 2034,
  isRenderedLater: false,
} as const;
const archive: ArchiveDocument = { type: "ArchiveDocument", data: { ...files, at } };
const archived: DocumentEvent = { type: "DocumentArchived", data: { ...files, archivedAt: at } };

it("a document is archived once", () => {
  spec.given().when(archive).then(archived);
  spec.given(archived).when(archive).then();
});

it("another rendering of an archived document changes nothing", () => {
  const other = { ...archive.data, files: [{ format: "pdf", bytes: 1, sha256: "00".repeat(32) }] } as const;
  spec.given(archived).when({ type: "ArchiveDocument", data: other }).then();
  expect(document.evolve(document.initialState, archived).archived).toEqual(files);
});

it("a stream that archives a document twice is corrupt", () => {
  expect(() => [archived, archived].reduce(document.evolve, document.initialState)).toThrow(
    CorruptStreamError,
  );
});
