import { expect, it } from "vitest";

import { parseXml, readResponse } from "./index.ts";

const said = (results: string): string =>
  readResponse(
    parseXml(
      `<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><response>${results}<trID><svTRID>1</svTRID></trID></response></epp>`,
    ),
  ).message;

it("shows text and reasons of every result, on one line, and no value that the server repeats", () => {
  const missing =
    '<result code="2003"><msg>Required parameter missing</msg><extValue><value><x>secret</x></value>' +
    "<reason>contact:pc\n is&#9;missing</reason></extValue></result>";
  const policy = '<result code="2306"><msg>Parameter value policy error</msg></result>';
  expect(said(missing + policy)).toBe(
    "Required parameter missing: contact:pc is missing; Parameter value policy error",
  );
});

it("truncates long text", () => {
  expect(said(`<result code="2400"><msg>${"long ".repeat(500)}</msg></result>`).length).toBeLessThanOrEqual(
    300,
  );
});
