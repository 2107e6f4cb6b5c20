import { expect, it } from "vitest";

import { KeptText, textOf } from "./kept-json.ts";

it("has the tag of its content, made once for several uses", () => {
  const made: string[] = [];
  const make = (beside: string, text: string): string => {
    made.push(beside);
    return `${beside}/${text}`;
  };
  const kept = new KeptText("[]");
  expect([
    kept.tagBeside("7", make),
    kept.tagBeside("7", make),
    kept.tagBeside("8", make),
    kept.tagBeside("7", make),
  ]).toEqual(["7/[]", "7/[]", "8/[]", "7/[]"]);
  expect(made).toEqual(["7", "8", "7"]);
});

it("is a text like any other", () => {
  expect([textOf("{}"), textOf(new KeptText("{}"))]).toEqual(["{}", "{}"]);
});
