import { describe, expect, it } from "vitest";

import { renderEventDocuments } from "./event-documents.ts";
import { hostingCodec } from "./hosting-events.ts";

describe("the documents of the stored events", () => {
  const documents = renderEventDocuments();

  it("are one for each type and version, in the order of their names", () => {
    const names = [...documents.keys()];
    expect(names).toEqual([...hostingCodec.versions.keys()].map((storedType) => `${storedType}.json`).sort());
  });

  it("name all fields, which are required", () => {
    expect(JSON.parse(documents.get("IdBlockReserved.v1.json") ?? "")).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "IdBlockReserved.v1",
      description: "A process reserved a block of integer ids. Unused ids of the block remain gaps.",
      type: "object",
      required: ["first", "last"],
      additionalProperties: false,
      properties: { first: { type: "integer", exclusiveMinimum: 0 } },
    });
  });

  it("describe the event in sentences", () => {
    for (const [file, text] of documents)
      expect(JSON.parse(text), file).toMatchObject({ description: expect.stringMatching(/^[A-Z].*[.]$/u) });
  });

  it("state the form of amounts and times", () => {
    expect(JSON.parse(documents.get("BalanceCharged.v1.json") ?? "")).toMatchObject({
      properties: {
        grossCents: { type: "string", pattern: String.raw`^-?\d{1,18}$` },
        chargedAt: { type: "string" },
      },
    });
  });

  it("end with a line break, as every text file", () => {
    for (const text of documents.values()) expect(text).toMatch(/\}\n$/);
  });
});
