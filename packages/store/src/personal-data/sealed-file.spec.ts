import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { openFile, sealFile, subjectOfFile } from "./sealed-file.ts";

const [key, otherKey] = [randomBytes(32), randomBytes(32)];
const owner = { subject: "retention-7-2034", field: "document-42.pdf" };
const content = randomBytes(1_000);

describe("a sealed file", () => {
  it("opens with its key under its name, and names the subject of its key", () => {
    const sealed = sealFile(content, key, owner);
    expect(subjectOfFile(sealed)).toBe("retention-7-2034");
    expect(openFile(sealed, key, owner.field)).toEqual({ content });
    expect(sealFile(content, key, owner)).toEqual(sealed);
    expect(sealed.includes(content.subarray(0, 16))).toBe(false);
    expect(openFile(sealFile(new Uint8Array(), key, owner), key, owner.field)).toEqual({
      content: Buffer.alloc(0),
    });
  });

  it("does not open under another name or with another key, with the reason", () => {
    const sealed = sealFile(content, key, owner);
    expect(openFile(sealed, key, "document-43.pdf")).toMatchObject({ problem: "damaged" });
    expect(openFile(sealed, otherKey, owner.field)).toMatchObject({ problem: "another" });
    expect(openFile(sealed, undefined, owner.field)).toMatchObject({ problem: "missing" });
    expect(openFile(sealed, "destroyed", owner.field)).toEqual({ problem: "destroyed" });
  });

  it("does not open after any byte was changed, added or cut off", () => {
    const sealed = sealFile(content, key, owner);
    const changed = [sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.of(0)]), Buffer.alloc(0)];
    for (let at = 0; at < sealed.length; at += 1) {
      const copy = Buffer.from(sealed);
      copy[at] = (copy[at] ?? 0) ^ 1;
      changed.push(copy);
    }
    for (const bytes of changed) expect(openFile(bytes, key, owner.field)).toHaveProperty("problem");
  });
});
