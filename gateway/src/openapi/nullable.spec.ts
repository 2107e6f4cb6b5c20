import { describe, expect, it } from "vitest";

import { writeNullsAsTypes } from "./document.ts";

const rewritten = (schema: object): object => {
  writeNullsAsTypes(schema);
  return schema;
};

describe("a schema that may be null", () => {
  it.each([
    [
      "text",
      { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
      { type: ["string", "null"], maxLength: 3 },
    ],
    [
      "text with a description of its own",
      { description: "Own", anyOf: [{ type: "string", description: "Inner" }, { type: "null" }] },
      { type: ["string", "null"], description: "Own" },
    ],
    [
      "one of a list of words",
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [
      "one of two types",
      { anyOf: [{ type: "boolean" }, { type: "null" }, { type: "number", enum: [0, 1] }] },
      { anyOf: [{ type: ["boolean", "null"] }, { type: "number", enum: [0, 1] }] },
    ],
    [
      "an object of another place",
      { description: "Own", anyOf: [{ $ref: "#/components/schemas/Domain" }, { type: "null" }] },
      { description: "Own", oneOf: [{ $ref: "#/components/schemas/Domain" }, { type: "null" }] },
    ],
  ])("is written without an alternative of null alone: %s", (_, schema, expected) => {
    expect(rewritten(schema)).toEqual(expected);
  });

  it.each([
    ["what is never null", { type: "string" }],
    ["a choice of two types", { anyOf: [{ type: "boolean" }, { type: "number" }] }],
  ])("stays unchanged: %s", (_, schema) => {
    expect(rewritten(structuredClone(schema))).toEqual(schema);
  });
});
