import { describe, expect, it } from "vitest";

import { readMetadata, writeMetadata, type CommandContext } from "./event-metadata.ts";

const context: CommandContext = { commandId: "c-1", correlationId: "r-1", actor: "account:7" };

describe("event metadata", () => {
  it("comes back as it was written; a command without a cause is its own", () => {
    expect(readMetadata(writeMetadata(context, "test/1"))).toEqual({
      ...context,
      causationId: "c-1",
      recordedBy: "test/1",
    });
    const full = { ...context, causationId: "e-1", requestId: "q-1", idempotencyKey: "k-1" };
    expect(readMetadata(writeMetadata(full, "test/1"))).toEqual({ ...full, recordedBy: "test/1" });
  });

  it("leaves out what this version does not know", () => {
    const text = JSON.stringify({ ...context, causationId: "c-1", recordedBy: "test/2", shoeSize: 42 });
    expect(readMetadata(text)).not.toHaveProperty("shoeSize");
  });

  it.each([
    ["{", "event metadata: it is not JSON"],
    ["null", "event metadata: it is not a JSON object"],
    ["[]", "event metadata: correlationId is missing"],
    [JSON.stringify({ ...context, actor: 7 }), "event metadata: causationId is missing"],
    [JSON.stringify({ ...context, causationId: "c", actor: 7 }), "event metadata: actor is not a text"],
    [
      JSON.stringify({ ...context, causationId: "c", requestId: null }),
      "event metadata: requestId is not a text",
    ],
  ])("refuses %s", (text, sentence) => {
    expect(() => readMetadata(text)).toThrow(sentence);
  });
});
