import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { runAgainst, runCommand } from "../testing/run-command.ts";

const seller = {
  version: 2,
  name: "Hosting GmbH",
  street: "Hauptstraße 1",
  postalCode: "10115",
  city: "Berlin",
  country: "DE",
  vatId: "",
  taxNumber: "21/815/08150",
  smallBusiness: true,
  timeZone: "Europe/Berlin",
};

describe("admin seller", () => {
  it("shows the seller", async () => {
    const implementation = { accounts: { showSeller: () => ({ seller }) } };
    const { stdout } = await runAgainst(implementation, ["admin", "seller", "show"]);
    expect(stdout).toContain("Hosting GmbH");
    expect(stdout).toContain("21/815/08150");
  });

  it("changes the named fields, and removes an empty text", async () => {
    const asked: Partial<admin.ChangeSellerRequest>[] = [];
    const implementation = {
      accounts: {
        changeSeller(request: admin.ChangeSellerRequest) {
          asked.push(request);
          return { seller, repeated: false };
        },
      },
    };
    const line = ["admin", "seller", "set", "--vat-id", "", "--small-business", "yes", "--reason", "moved"];
    const { exitCode, stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ seller: { version: 2, vat_id: "" }, repeated: false });
    expect(asked).toMatchObject([{ vatId: "", smallBusiness: true, reason: "moved" }]);
    expect(asked[0]?.name).toBeUndefined();
  });

  it.each([
    ["no reason", ["--name", "x"]],
    ["another word than yes or no", ["--small-business", "true", "--reason", "x"]],
  ])("is wrong usage with %s", async (_what, options) => {
    const { exitCode } = await runCommand(["admin", "seller", "set", ...options]);
    expect(exitCode).toBe(2);
  });
});

describe("admin tax show", () => {
  const shown = {
    mode: "eu",
    crossBorderNetCents: 1_000_001n,
    thresholdCents: 1_000_000n,
    rates: [{ country: "FI", rateBasisPoints: 2_550, validFrom: "2026-01-01" }],
  };
  const show = (answer: object) =>
    runAgainst({ accounts: { showTaxes: () => answer } }, ["admin", "tax", "show"]);

  it("warns above the threshold until the seller takes part in the One Stop Shop", async () => {
    const { stdout } = await show(shown);
    expect(stdout).toContain(
      "Sold this year to consumers in other member states at the seller's rate: 10000.01 EUR net.",
    );
    expect(stdout).toContain("That is above 10000.00 EUR");
    expect(stdout).toMatch(/FI\s+25\.5\s+2026-01-01/);
    expect((await show({ ...shown, crossBorderNetCents: 1_000_000n })).stdout).not.toContain("above");
    expect((await show({ ...shown, ossFrom: "2026-07-01" })).stdout).not.toContain("above");
  });
});

describe("admin tax set and oss", () => {
  it("send a rate in basis points", async () => {
    const asked: admin.SetTaxRateRequest[] = [];
    const implementation = {
      accounts: {
        setTaxRate(request: admin.SetTaxRateRequest) {
          asked.push(request);
          return { rates: [{ country: "FI", rateBasisPoints: 2_600, validFrom: "2027-01-01" }] };
        },
      },
    };
    const line = ["admin", "tax", "set", "FI", "26", "--from", "2027-01-01", "--reason", "law"];
    const { stdout } = await runAgainst(implementation, line);
    expect(stdout).toMatch(/FI\s+26\s+2027-01-01/);
    expect(asked).toMatchObject([
      { rate: { country: "FI", rateBasisPoints: 2_600, validFrom: "2027-01-01" } },
    ]);
  });

  it.each([
    ["a rate with three decimals", ["set", "FI", "25.555", "--from", "2027-01-01", "--reason", "x"]],
    ["a rate above 50 per cent", ["set", "FI", "50.01", "--from", "2027-01-01", "--reason", "x"]],
    ["neither a date nor --off", ["oss", "--reason", "x"]],
    ["both a date and --off", ["oss", "--from", "2027-01-01", "--off", "--reason", "x"]],
  ])("are wrong usage with %s", async (_what, words) => {
    const { exitCode } = await runCommand(["admin", "tax", ...words]);
    expect(exitCode).toBe(2);
  });

  it("end the participation with --off", async () => {
    const implementation = { accounts: { setOssRegistration: () => ({ repeated: false }) } };
    const { stdout } = await runAgainst(implementation, ["admin", "tax", "oss", "--off", "--reason", "x"]);
    expect(stdout).toBe("The seller takes no part in the One Stop Shop.\n");
  });
});
