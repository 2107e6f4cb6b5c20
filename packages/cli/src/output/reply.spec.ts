import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { capturedIo } from "../testing/captured-io.ts";
import { listing, reply } from "./reply.ts";
import { fields, printable, table } from "./table.ts";

const turned = "\u202eelgoog\u2066\u200f\u061c";
const shown = "\ufffdelgoog\ufffd\ufffd\ufffd";

describe("marks that turn the direction of text", () => {
  it("are seen in tables and fields, and turn nothing", () => {
    expect(printable(turned)).toBe(shown);
    expect(table([{ heading: "name", cell: (name: string) => name }], [turned])).toContain(shown);
    expect(stripVTControlCharacters(fields({ name: turned }))).toBe(`name  ${shown}\n`);
  });

  it("are visible in JSON, with the same value as before", () => {
    const io = capturedIo();
    reply(io, true, { document: { name: turned, other: "ü🦊" }, text: "" });
    const written = io.stdout();
    expect(written).not.toMatch(/\p{Bidi_Control}/u);
    expect(written).toContain("\\u202eelgoog\\u2066\\u200f\\u061c");
    expect(written).toContain("ü🦊");
    expect(JSON.parse(written)).toEqual({ name: turned, other: "ü🦊" });
  });
});

describe("a table", () => {
  const columns = [
    { heading: "server", cell: (row: Row) => row.server },
    { heading: "status", cell: (row: Row) => row.status },
    { heading: "ordered", cell: (row: Row) => row.ordered_at },
  ];
  interface Row {
    readonly [key: string]: string;
    readonly server: string;
    readonly status: string;
    readonly ordered_at: string;
  }
  const row: Row = { server: "web", status: "suspended", ordered_at: "2026-11-28T10:00:00.123456Z" };
  const shownBy = (asJson: boolean, colours = false, rows: readonly Row[] = [row]) => {
    const io = capturedIo({}, undefined, [], colours);
    reply(io, asJson, listing(rows, columns));
    return io.stdout();
  };

  it("shows times to the second; JSON has microseconds", () => {
    expect(shownBy(false)).toBe("SERVER  STATUS     ORDERED\nweb     suspended  2026-11-28T10:00:00Z\n");
    expect(shownBy(true)).toContain("2026-11-28T10:00:00.123456Z");
    expect(fields({ ordered_at: row.ordered_at })).toContain("2026-11-28T10:00:00Z");
  });

  it("prints none without rows; JSON is an empty list", () => {
    expect(shownBy(false, false, [])).toBe("none\n");
    expect(shownBy(true, false, [])).toBe("[]\n");
  });

  it("has colours on a terminal, and aligned columns", () => {
    const text = shownBy(false, true);
    expect(text).toBe(
      "\u001b[1mSERVER  STATUS     ORDERED\u001b[22m\nweb     \u001b[31msuspended\u001b[39m  2026-11-28T10:00:00Z\n",
    );
    expect(stripVTControlCharacters(text)).toBe(shownBy(false));
    expect(shownBy(true, true)).not.toContain("\u001b");
  });
});
