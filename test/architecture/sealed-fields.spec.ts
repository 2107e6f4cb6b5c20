import { readFileSync } from "node:fs";
import { join } from "node:path";

import { hostingEvents, personalFieldsOf } from "@hostledger/core";
import { expect, it } from "vitest";

/** Whoever erases a person reads in docs/erasure.md what is sealed: it is what the definitions of events say. */

const document = readFileSync(join(import.meta.dirname, "../../docs/erasure.md"), "utf8");
const rows = new Map(
  [...document.matchAll(/^\| `(?<type>\w+)(?<version>\.v\d+)?` +\| (?<sealed>[^|]+) \|/gmu)].map(
    ({ groups }) => [
      `${groups?.type ?? ""}${groups?.version ?? ".v1"}`,
      [...(groups?.sealed ?? "").matchAll(/`(?<field>\w+)`/gu)].map(
        ({ groups: found }) => found?.field ?? "",
      ),
    ],
  ),
);

it("every fact with sealed texts is in the document, with their names", () => {
  const sealed = [...personalFieldsOf(hostingEvents)].map(([type, { texts }]) => [type, texts]);
  expect(sealed.length).toBeGreaterThan(5);
  expect([...rows].sort()).toEqual(sealed.sort());
});
