import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { progressBar } from "./progress-bar.ts";

function drawn(
  columns: number | undefined,
  ...reports: readonly (readonly [at: number, done: number, total: number])[]
) {
  let now = 0;
  const io = capturedIo({}, columns);
  const bar = progressBar({ ...io, timing: { ...io.timing, monotonicMilliseconds: () => now } }, "events");
  for (const [at, done, total] of reports) {
    now = at;
    bar.report(done, total);
  }
  bar.end();
  bar.end();
  return io.stderr();
}

const away = "\r\u001b[K";

describe("progress", () => {
  it("is a bar with an estimate on a terminal, taken away at the end", () => {
    expect(drawn(100, [5_000, 250_000, 1_000_000])).toBe(
      `\r[########----------------------]  25 %  250,000 of 1,000,000 events, 15 s left\u001b[K${away}`,
    );
  });

  it("is silent without a terminal, and if the work ends at once", () => {
    expect(drawn(undefined, [5_000, 1, 2])).toBe("");
    expect(drawn(100, [200, 1, 2])).toBe("");
  });

  it("is not drawn at every report", () => {
    const lines = drawn(100, [300, 1, 100], [350, 2, 100], [399, 3, 100], [400, 4, 100]).split("\r");
    expect(lines.filter((line) => line.includes("events"))).toHaveLength(2);
  });

  it.each([
    [60_000, 1, 2, "1 min left"],
    [60_000, 1, 200, "3 h 19 min left"],
    [60_000, 2, 2, "0 s left"],
    [60_000, 0, 2, "0 of 2 events\u001b"],
    [60_000, 0, 0, "0 of 0 events, 0 s left"],
  ])("after %d ms with %d of %d prints %s", (at, done, total, text) => {
    expect(drawn(100, [at, done, total])).toContain(text);
  });

  it("assumes a common width for a terminal that does not report one", () => {
    expect(drawn(0, [60_000, 1, 2])).toBe(drawn(80, [60_000, 1, 2]));
  });

  it.each([1, 20, 60, 80])("fits into %d columns", (columns) => {
    const [line = ""] = drawn(columns, [60_000, 999_999, 1_000_000]).split("\u001b");
    expect(line.length - 1).toBeLessThan(columns);
  });
});
