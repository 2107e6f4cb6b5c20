import { describe, expect, it } from "vitest";

import { readTraceparent, spanIdOf, traceIdOf } from "./tracing.ts";

describe("readTraceparent", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const spanId = "00f067aa0ba902b7";

  it.each([
    `00-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-what-comes`,
  ])("reads %s", (header) => {
    expect(readTraceparent(header)).toEqual({ traceId, spanId });
  });

  it.each([
    undefined,
    "",
    traceId,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `cc-${traceId}-${spanId}-01.more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${spanId}`,
    `cc-${traceId}-${spanId}-01-${"x".repeat(500)}`,
  ])("refuses %s", (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});

describe("the trace of a correlation id", () => {
  it("is the request id itself, and a UUID without its dashes", () => {
    expect(traceIdOf("4bf92f3577b34da6a3ce929d0e0e4736")).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(traceIdOf("4bf92f35-77b3-4da6-a3ce-929d0e0e4736")).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  });

  it.each(["renewal-example.com-2027", "0".repeat(32), ""])("is made from %s, always the same", (id) => {
    expect(traceIdOf(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(traceIdOf(id)).toBe(traceIdOf(id));
    expect(traceIdOf(id)).not.toBe(traceIdOf(`${id}x`));
  });
});

it("makes the id of a span from its trace and an event", () => {
  expect(spanIdOf("a", "run-1")).toMatch(/^[0-9a-f]{16}$/);
  expect(spanIdOf("a", "run-1")).not.toBe(spanIdOf("b", "run-1"));
  expect(spanIdOf("a", "run-1")).not.toBe(spanIdOf("a", "run-2"));
});
