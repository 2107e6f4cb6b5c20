import { describe, expect, it } from "vitest";

import { describeOperations } from "../openapi/document.ts";
import { operations } from "../operations.ts";
import { checkResponsesBy, type ObservedResponse } from "./documented-responses.ts";

const problemsOf = checkResponsesBy(describeOperations(operations));

const headers = (more: Record<string, string> = {}): Headers =>
  new Headers({
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "4bf92f3577b34da6a3ce929d0e0e4736",
    ...more,
  });
const plan = { id: 3, cores: 2, price: 9.99, title: "Small", memory: 4, storage: 80 };
const plans: ObservedResponse = {
  method: "GET",
  path: "/plans?limit=1",
  status: 200,
  headers: headers(),
  body: [plan],
};
const saved = { "content-disposition": 'attachment; filename="1.pdf"' };
const pdf: ObservedResponse = {
  method: "GET",
  path: "/billing/invoices/7.pdf",
  status: 200,
  headers: headers({ "content-type": "application/pdf", ...saved }),
  body: "%PDF",
};
const unchanged: ObservedResponse = {
  ...plans,
  status: 304,
  headers: new Headers({ "x-request-id": "4bf92f3577b34da6a3ce929d0e0e4736", etag: '"one"' }),
  body: undefined,
};
const notFound = { status: false, error: "There is no such resource.", code: "not_found" };

describe("checkResponsesBy", () => {
  it.each<[string, ObservedResponse]>([
    ["a right answer", plans],
    [
      "an amount whose binary fraction is no multiple of 0.01",
      { ...plans, body: [{ ...plan, price: 0.57 }] },
    ],
    ["HEAD, without a body", { ...plans, method: "HEAD", body: undefined }],
    ["a file of its type", pdf],
    ["an answer that is described without a body", unchanged],
    ["a path below a resource", { ...plans, path: "/servers/7", status: 404, body: notFound }],
    ["a path that is none", { ...plans, path: "/nowhere", status: 404, body: notFound }],
    [
      "a method that is none",
      { ...plans, method: "PUT", status: 405, body: { ...notFound, code: "method_not_allowed" } },
    ],
    ["no content", { ...plans, method: "OPTIONS", status: 204, headers: new Headers(), body: undefined }],
  ])("accepts %s", (_, response) => {
    expect(problemsOf(response)).toEqual([]);
  });

  it.each<[string, ObservedResponse, RegExp]>([
    ["a field too many", { ...plans, body: [{ ...plan, secret: 1 }] }, /unevaluated/],
    ["a field too few", { ...plans, body: [{ ...plan, price: undefined }].map(stripped) }, /required.*price/],
    ["a wrong type", { ...plans, body: [{ ...plan, id: "3" }] }, /integer/],
    ["a third decimal", { ...plans, body: [{ ...plan, price: 9.999 }] }, /third decimal/],
    ["an object for an array", { ...plans, body: {} }, /array/],
    ["a status that is not described", { ...plans, status: 418 }, /418 is not in the document/],
    [
      "a code of another operation",
      { ...plans, status: 422, body: { ...notFound, code: "domain_taken" } },
      /allowed/,
    ],
    ["a PDF where JSON is described", { ...pdf, path: "/billing/invoices/7" }, /content type/],
    ["JSON where a PDF is described", { ...pdf, headers: headers({ ...saved }) }, /content type/],
    [
      "a file without a name",
      { ...pdf, headers: headers({ "content-type": "application/pdf" }) },
      /Disposition/,
    ],
    ["a body where none is described", { ...unchanged, body: [] }, /a body where none/],
    ["a tag without quotes", { ...unchanged, headers: headers({ etag: "one" }) }, /ETag/],
    ["text", { ...plans, headers: headers({ "content-type": "text/html" }) }, /content type/],
    [
      "no request id",
      { ...plans, headers: new Headers({ "content-type": "application/json" }) },
      /X-Request-Id/,
    ],
    ["a malformed request id", { ...plans, headers: headers({ "x-request-id": "1" }) }, /X-Request-Id/],
    [
      "a 401 without a challenge",
      { ...plans, status: 401, body: { ...notFound, code: "unauthenticated" } },
      /WWW/,
    ],
    ["success where there is no path", { ...plans, path: "/nowhere" }, /not in the document/],
    [
      "another shape where there is no path",
      { ...plans, path: "/nowhere", status: 404, body: {} },
      /required/,
    ],
  ])("finds %s", (_, response, problem) => {
    expect(problemsOf(response).join("\n")).toMatch(problem);
  });
});

/** Removes undefined properties, as JSON does. */
function stripped(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
