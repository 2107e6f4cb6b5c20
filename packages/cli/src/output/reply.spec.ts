import { describe, expect, it } from "vitest";

import { capturedIo } from "../testing/captured-io.ts";
import { reply } from "./reply.ts";
import { fields, printable, table } from "./table.ts";

const turned = "\u202eelgoog\u2066\u200f\u061c";
const shown = "\ufffdelgoog\ufffd\ufffd\ufffd";

describe("marks that turn the direction of text", () => {
  it("are seen in tables and fields, and turn nothing", () => {
    expect(printable(turned)).toBe(shown);
    expect(table([{ heading: "name", cell: (name: string) => name }], [turned])).toContain(shown);
    expect(fields({ name: turned })).toBe(`name  ${shown}\n`);
  });

  it("are seen in JSON, which says the same as before", () => {
    const io = capturedIo();
    reply(io, true, { document: { name: turned, other: "ü🦊" }, text: "" });
    const written = io.stdout();
    expect(written).not.toMatch(/\p{Bidi_Control}/u);
    expect(written).toContain("\\u202eelgoog\\u2066\\u200f\\u061c");
    expect(written).toContain("ü🦊");
    expect(JSON.parse(written)).toEqual({ name: turned, other: "ü🦊" });
  });
});
