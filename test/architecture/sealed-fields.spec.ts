import { readFileSync } from "node:fs";
import { join } from "node:path";

import { hostingEvents, personalFieldsOf, secretFieldsOf } from "@hostledger/core";
import { expect, it } from "vitest";

/** docs/erasure.md lists the sealed fields as the event definitions do. */

const document = readFileSync(join(import.meta.dirname, "../../docs/erasure.md"), "utf8");
const namesIn = (cell = ""): string[] =>
  [...cell.matchAll(/`(?<field>\w+)`/gu)].map(([, field = ""]) => field);
const rows = [
  ...document.matchAll(
    /^\| `(?<type>\w+)(?<version>\.v\d+)?` +\| (?<sealed>[^|]+) \| [^|]+ \| (?<secret>[^|]+) \|/gmu,
  ),
].map(({ groups = {} }) => ({
  type: `${groups.type ?? ""}${groups.version ?? ".v1"}`,
  sealed: namesIn(groups.sealed),
  secret: namesIn(groups.secret),
}));

it("every event with sealed texts is in the document, with their names", () => {
  const sealed = [...personalFieldsOf(hostingEvents)].map(([type, { texts }]) => [type, texts]);
  expect(sealed.length).toBeGreaterThan(5);
  expect(rows.map((row) => [row.type, row.sealed]).sort()).toEqual(sealed.sort());
});

it("every secret is marked as one", () => {
  const secrets = [...secretFieldsOf(hostingEvents)];
  const marked = rows.filter(({ secret }) => secret.length > 0).map(({ type, secret }) => [type, secret]);
  expect(marked.sort()).toEqual(secrets.sort());
});
