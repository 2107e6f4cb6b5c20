import { meaningOf, rejectionStatus } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { renderOpenApiDocument } from "../openapi/described-operations.ts";
import { idsOf } from "../testing/contract-requests.ts";
import { fieldCasesOf } from "../testing/field-cases.ts";
import { sharedGateway } from "../testing/gateway-under-test.ts";
import { documentedOperations, pathOf } from "../testing/openapi-document.ts";
import { advised, explained, shownValue } from "./explanation.ts";
import { failureBody, type Rejection } from "./refusal.ts";

/** Tests that each refusal names the field, its value if any, and the customer's next step. */

const request = {
  params: { domain: "7", record: "3" },
  body: {
    domain: "example.com",
    auth_code: "let-me-go",
    plan_id: 4,
    region_id: 5,
    years: 11,
    type: "NS",
    name: "@",
  },
};
const isCode = (text: string): text is Rejection["code"] => Object.hasOwn(rejectionStatus, text);
const codes = Object.keys(rejectionStatus).filter(isCode);

const errorOf = (code: Rejection["code"], detail?: Rejection["detail"]): string => {
  const rejection = { code, message: meaningOf(code).sentence, ...(detail === undefined ? {} : { detail }) };
  return failureBody(explained(rejection, request)).error;
};

describe("a sentence of the catalogue", () => {
  it.each(codes.filter((code) => code !== "unauthorized"))("of %s names the remedy", (code) => {
    const { clientAction } = meaningOf(code);
    expect(errorOf(code)).toContain(clientAction);
  });

  it("of unauthorized is as the contract has it", () => {
    expect(errorOf("unauthorized")).toBe("This action is unauthorized.");
  });

  it.each([
    ["unsupported-extension", 'domain: "example.com"'],
    ["domain-taken", 'domain: "example.com"'],
    ["domain-not-available", 'domain: "example.com"'],
    ["premium-name", 'domain: "example.com"'],
    ["not-transferable", 'domain: "example.com"'],
    ["invalid-auth-code", 'domain: "example.com"'],
    ["registration-in-flight", 'domain: "example.com"'],
    ["plan-not-found", "plan_id: 4"],
    ["region-not-found", "region_id: 5"],
    ["out-of-stock", "plan_id: 4, region_id: 5"],
    ["protected-record", 'name: "@"'],
    ["not-found", "record: 3"],
  ] as const)("of %s names its subject", (code, note) => {
    const [first = "", ...rest] = errorOf(code).split(` (${note})`);
    expect(first).not.toBe("");
    expect(rest).toHaveLength(1);
  });

  it("of insufficient-balance contains the amounts", () => {
    expect(errorOf("insufficient-balance", { requiredCents: 1_190n, availableCents: 5n })).toBe(
      "The account balance does not cover the gross price (required: 11.90 EUR, available: 0.05 EUR). " +
        meaningOf("insufficient-balance").clientAction,
    );
  });
});

describe("a service's own sentence", () => {
  it.each([
    [0, "must be an integer from 1 to 10"],
    [10, "must be a whole number from 1 to 9: a domain's expiry date is at most 10 years ahead"],
  ])("contains the value %i although a limit has its digits", (years, predicate) => {
    const detail = { fieldErrors: { years: [predicate] } };
    const refusal: Rejection = { code: "validation-failed", message: `years ${predicate}.`, detail };
    expect(explained(refusal, { body: { years } }).message).toBe(
      `The field years ${predicate} (sent: ${String(years)}).`,
    );
  });

  it("about a field begins with the field and ends with the value", () => {
    const detail = { fieldErrors: { years: ["must be a whole number from 1 to 9"] } };
    const message = "years must be a whole number from 1 to 9.";
    const better = explained({ code: "validation-failed", message, detail }, request);
    const sentence = "The field years must be a whole number from 1 to 9 (sent: 11).";
    expect(better).toMatchObject({ message: sentence, detail: { fieldErrors: { years: [sentence] } } });
  });

  it("with a reason stays in front of it", () => {
    const detail = { fieldErrors: { years: ["must be 1"] } };
    const message = "The registry takes no order for 11 years.";
    expect(explained({ code: "validation-failed", message, detail }, request).message).toBe(
      "The registry takes no order for 11 years. The field years must be 1 (sent: 11).",
    );
  });

  it.each([
    ["The domain has expired: renew it first.", true],
    ["The domain is suspended.", false],
  ])("%j has advice of its own: %s", (message, has) => {
    const error = advised({ code: "domain-not-active", message });
    expect(error === message).toBe(has);
    expect(error.startsWith(message)).toBe(true);
  });
});

describe("a value in a sentence", () => {
  it.each([
    ["auth_code", "let-me-go", undefined],
    ["value", undefined, undefined],
    ["value", null, "null"],
    ["value", "a\nb\u202e", String.raw`"a\nb\u{202e}"`],
    ["value", "x".repeat(100), `"${"x".repeat(79)}…`],
    ["key", "17", "17"],
  ])("%s %j is shown as %s", (field, value, shown) => {
    expect(shownValue(field, value)).toBe(shown);
  });
});

const shared = sharedGateway();
const withBody = documentedOperations(JSON.parse(renderOpenApiDocument())).filter(
  ({ body }) => body !== undefined,
);

describe.each(withBody)("$id", (operation) => {
  const refused = fieldCasesOf(operation).filter(({ isAllowed }) => !isAllowed);

  it.each(refused)("names the field $field and its value for $why, and the rule", async ({ field, body }) => {
    const gateway = await shared();
    const path = pathOf(operation, { ...idsOf(7), name: "www", type: "A" });
    const send = operation.method === "put" ? gateway.put : gateway.post;
    const { status, json } = await send(path, body);
    expect(status).toBe(422);
    const { error, errors } = json as { error: string; errors: Record<string, string[]> };
    const [sentence = ""] = errors[field] ?? [];
    expect(error.startsWith(sentence)).toBe(true);
    expect(sentence).toMatch(new RegExp(`^The field ${field}\\b.* (?:must|is required)\\b`, "u"));
    const place = sentence.includes(", item ") ? undefined : shownValue(field, body[field]);
    if (place !== undefined) expect(sentence).toContain(place);
  });
});
