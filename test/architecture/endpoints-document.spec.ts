import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { documentedOperations } from "@hostledger/gateway/testing";
import { describe, expect, it } from "vitest";

/** The table of endpoints names every operation of the API, once, and where it is tested. */

const root = fileURLToPath(import.meta.resolve("../../"));
const table = readFileSync(`${root}docs/reference/endpoints.md`, "utf8");
const rows = [
  ...table.matchAll(/^\| `([A-Z]+) (\/[^`]*)` +\|[^|]+\| \[[^\]]+\]\(\.\.\/\.\.\/([^)]+)\) +\|$/gm),
];

function operationsOfDocument(): readonly string[] {
  const document: unknown = JSON.parse(readFileSync(`${root}gateway/openapi.json`, "utf8"));
  return documentedOperations(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
}

describe("the table of endpoints", () => {
  it("has every operation of the OpenAPI document, once", () => {
    const listed = rows.map(([, method = "", path = ""]) => `${method} ${path}`);
    expect(listed.toSorted()).toEqual(operationsOfDocument().toSorted());
  });

  it("names existing specs that mention the path", () => {
    for (const [, , path = "", file = ""] of rows) {
      expect([file, existsSync(root + file)]).toEqual([file, true]);
      const noun = path.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? "";
      const text = readFileSync(root + file, "utf8");
      // A spec that goes through the whole document speaks of every path.
      expect([path, text.includes(noun) || text.includes("documentedOperations(")]).toEqual([path, true]);
    }
  });
});
