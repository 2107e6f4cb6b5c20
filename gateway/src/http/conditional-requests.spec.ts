import { describe, expect, it } from "vitest";

import { isTrue } from "./conditional-requests.ts";

const tag = '"kZ3h0Qm0m3uTzY8qf2a9Xw"';
const none = { ifMatch: undefined, ifNoneMatch: undefined };

describe("If-Match", () => {
  it.each([
    ["*", true],
    [tag, true],
    [`"other", ${tag}`, true],
    [`W/"other",,${tag} ,`, true],
    ['"with,comma", ' + tag, true],
    [`W/${tag}`, false],
    ['"other"', false],
    ["", false],
    [tag.slice(1, -1), false],
    [`*, ${tag}`, false],
    [`${tag} junk`, false],
    [`"other" ${tag}`, false],
    [`"other"${tag}`, false],
    [`t, ${tag}`, false],
    [`"${"x".repeat(4_096)}", ${tag}`, false],
  ])("of %j is %s", (ifMatch, expected) => {
    expect(isTrue({ ...none, ifMatch }, tag)).toBe(expected);
  });

  it.each(["*", tag])("of %j is false without such a resource", (ifMatch) => {
    expect(isTrue({ ...none, ifMatch }, undefined)).toBe(false);
  });
});

describe("If-None-Match of a write", () => {
  it.each([
    ["*", false],
    [tag, false],
    [`W/${tag}`, false],
    [`"other", ${tag}`, false],
    ['"other"', true],
    ['W/"other"', true],
    ["other", false],
    ["", false],
  ])("of %j is %s", (ifNoneMatch, expected) => {
    expect(isTrue({ ...none, ifNoneMatch }, tag)).toBe(expected);
  });

  it.each(["*", tag])("of %j is true without such a resource", (ifNoneMatch) => {
    expect(isTrue({ ...none, ifNoneMatch }, undefined)).toBe(true);
  });

  it("counts beside If-Match: both must be true", () => {
    expect(isTrue({ ifMatch: tag, ifNoneMatch: '"other"' }, tag)).toBe(true);
    expect(isTrue({ ifMatch: tag, ifNoneMatch: "*" }, tag)).toBe(false);
  });
});
