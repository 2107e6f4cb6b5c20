import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin price set", () => {
  const line = [
    "admin",
    "price",
    "set",
    "com",
    "--registration",
    "10",
    "--renewal",
    "12.00",
    "--transfer",
    "0",
  ];

  it.each([
    [[], true, "The prices of com are set.\n"],
    [["--inactive"], false, "The prices of com are set; it is not on sale.\n"],
  ])("sets net prices, with %j", async (flags, active, sentence) => {
    const requests: unknown[] = [];
    const implementation = {
      domains: {
        setPrice: ({
          tld,
          registrationCents,
          renewalCents,
          transferCents,
          active,
        }: admin.SetPriceRequest) => {
          requests.push({ tld, registrationCents, renewalCents, transferCents, active });
          return { tld };
        },
      },
    };
    expect((await runAgainst(implementation, [...line, ...flags])).stdout).toBe(sentence);
    const { stdout } = await runAgainst(implementation, [...line, ...flags, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      tld: "com",
      registration_price: "10.00",
      renewal_price: "12.00",
      transfer_price: "0.00",
      active,
    });
    const request = {
      tld: "com",
      registrationCents: 1_000n,
      renewalCents: 1_200n,
      transferCents: 0n,
      active,
    };
    expect(requests).toEqual([request, request]);
  });

  it("names the registrar that gets the orders", async () => {
    const named: unknown[] = [];
    const implementation = {
      domains: {
        setPrice({ tld, registrar }: admin.SetPriceRequest) {
          named.push(registrar);
          return { tld };
        },
      },
    };
    const { stdout } = await runAgainst(implementation, [...line, "--registrar", "registry-two", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ tld: "com", registrar: "registry-two" });
    await runAgainst(implementation, line);
    expect(named).toEqual(["registry-two", undefined]);
  });

  it.each([
    [line.filter((word) => word !== "com")],
    [line.slice(0, -2)],
    [[...line.slice(0, -1), "free"]],
    [[...line.slice(0, -1), "-1"]],
  ])("is wrong usage as %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("admin price list", () => {
  const price = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 905n };
  const implementation = {
    domains: {
      listAllPrices: () => ({
        prices: [
          { tld: "com", ...price, active: true },
          { tld: "example", ...price, registrationCents: 123_456n, active: false, registrar: "registry-two" },
        ],
      }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "price", "list"]);
    expect(stdout).toBe(
      [
        "TLD      REGISTRATION  RENEWAL  TRANSFER  ACTIVE  REGISTRAR",
        "com             10.00    12.00      9.05  yes     -",
        "example       1234.56    12.00      9.05  no      registry-two",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "price", "list", "--json"]);
    const prices = { registration_price: "10.00", renewal_price: "12.00", transfer_price: "9.05" };
    expect(JSON.parse(stdout)).toEqual([
      { tld: "com", ...prices, active: true },
      { tld: "example", ...prices, registration_price: "1234.56", active: false, registrar: "registry-two" },
    ]);
  });
});
