import { rejectionCatalogue } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { isRejectionCode, rejectionStatus, restCode } from "./rejection-table.ts";

describe("the rejection table", () => {
  it("has a failure status for every code", () => {
    for (const { http } of Object.values(rejectionStatus)) expect(http).toBeGreaterThanOrEqual(400);
    expect(Object.keys(rejectionStatus).sort()).toEqual(Object.keys(rejectionCatalogue).sort());
  });

  it.each([
    ["insufficient-balance", 400],
    ["malformed-request", 400],
    ["unauthenticated", 401],
    ["unauthorized", 403],
    ["not-found", 404],
    ["method-not-allowed", 405],
    ["registration-in-flight", 409],
    ["payload-too-large", 413],
    ["unsupported-media-type", 415],
    ["validation-failed", 422],
    ["unsupported-extension", 422],
    ["domain-taken", 422],
    ["domain-not-available", 422],
    ["rate-limited", 429],
    ["registrar-failed", 500],
    ["registrar-unavailable", 502],
    ["overloaded", 503],
    ["temporarily-unavailable", 503],
    ["deadline-exceeded", 504],
  ] as const)("answers %s with the status of the REST contract", (code, http) => {
    expect(rejectionStatus[code].http).toBe(http);
  });

  it("writes codes with underscores for REST", () => {
    expect(restCode("insufficient-balance")).toBe("insufficient_balance");
    expect(restCode("internal")).toBe("internal");
  });

  it("recognises only its own codes", () => {
    expect(isRejectionCode("domain-taken")).toBe(true);
    for (const text of ["", "domain_taken", "toString", "__proto__"])
      expect(isRejectionCode(text)).toBe(false);
  });
});
