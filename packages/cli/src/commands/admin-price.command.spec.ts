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
      repeated: false,
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

  it("prints for how many days an unrenewed name can be restored", async () => {
    const named: unknown[] = [];
    const implementation = {
      domains: {
        setPrice({ tld, graceDays, redemptionDays, pendingDeleteDays, restoreCents }: admin.SetPriceRequest) {
          named.push([graceDays, redemptionDays, pendingDeleteDays, restoreCents]);
          return { tld };
        },
      },
    };
    const days = ["--grace-days", "0", "--redemption-days", "30", "--pending-delete-days", "5"];
    days.push("--restore-price", "80.00");
    const { stdout } = await runAgainst(implementation, [...line, ...days, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      grace_days: 0,
      redemption_days: 30,
      pending_delete_days: 5,
      restore_price: "80.00",
    });
    await runAgainst(implementation, line);
    expect(named).toEqual([
      [0, 30, 5, 8_000n],
      [undefined, undefined, undefined, undefined],
    ]);
  });

  it.each([
    [["admin", "price", "set", "com"]],
    [["admin", "price", "set", "com", "--from", "2027-01-01T00:00:00Z"]],
    [["admin", "price", "set", "com", "--active", "--inactive"]],
    [[...line, "--grace-days", "-1"]],
    [[...line, "--redemption-days", "month"]],
    [line.filter((word) => word !== "com")],
    [[...line.slice(0, -1), "free"]],
    [[...line.slice(0, -1), "-1"]],
  ])("is wrong usage as %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("admin price set with what changes", () => {
  const now = {
    tld: "com",
    registrationCents: 1_000n,
    renewalCents: 1_300n,
    transferCents: 0n,
    active: false,
  };
  const set = async (answer: object, ...words: readonly string[]) => {
    const asked: unknown[] = [];
    const domains = {
      changePrice: ({ $typeName: _, $unknown: __, ...request }: admin.ChangePriceRequest) => {
        asked.push(request);
        return { price: now, ...answer };
      },
    };
    const line = ["admin", "price", "set", "com", ...words];
    return { asked, ...(await runAgainst({ domains }, line)) };
  };

  it("changes one price, and prints the extension's prices", async () => {
    const { asked, stdout } = await set({}, "--renewal", "13");
    expect(asked).toEqual([{ tld: "com", renewalCents: 1_300n }]);
    expect(stdout).toBe(
      "com costs 10.00 EUR for a registration, 13.00 for a renewal, 0.00 for a transfer, all net; it is not on sale.\n",
    );
  });

  it("takes an extension off sale without prices", async () => {
    expect((await set({}, "--inactive")).asked).toEqual([{ tld: "com", active: false }]);
  });

  it("prints announced prices, and those no longer announced", async () => {
    const validFrom = "2027-01-01T00:00:00.000000Z";
    const announced = {
      registrationCents: 900n,
      renewalCents: 800n,
      transferCents: 0n,
      active: true,
      validFrom,
    };
    const answer = { price: { ...now, announced }, withdrawnFrom: "2026-12-24T00:00:00.000000Z" };
    const { stdout } = await set(answer, "--renewal", "8", "--from", "2027-01-01T00:00:00Z");
    expect(stdout).toBe(
      "com costs from 2027-01-01T00:00:00Z on 9.00 EUR for a registration, 8.00 for a renewal, 0.00 for a transfer, all net." +
        " What was announced for 2026-12-24T00:00:00Z is not announced any more.\n",
    );
  });

  it("reports that nothing was done if the prices are equal", async () => {
    const { stdout } = await set({ repeated: true }, "--renewal", "13");
    expect(stdout).toBe("Nothing was done: com had these prices before.\n");
  });
});

describe("admin price list", () => {
  const price = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 905n };
  const implementation = {
    domains: {
      listAllPrices: () => ({
        prices: [
          { tld: "com", ...price, active: true, graceDays: 45, redemptionDays: 30, pendingDeleteDays: 5 },
          {
            tld: "example",
            ...price,
            registrationCents: 123_456n,
            active: false,
            registrar: "registry-two",
            graceDays: 0,
            redemptionDays: 30,
            pendingDeleteDays: 0,
            restoreCents: 8_000n,
          },
        ],
      }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "price", "list"]);
    expect(stdout).toBe(
      [
        "TLD      REGISTRATION  RENEWAL  TRANSFER  ACTIVE  REGISTRAR     GRACE  REDEMPTION  RESTORATION  ANNOUNCED  PENDING DELETE",
        "com             10.00    12.00      9.05  yes     -                45          30            -  -                       5",
        "example       1234.56    12.00      9.05  no      registry-two      0          30        80.00  -                       0",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "price", "list", "--json"]);
    const prices = { registration_price: "10.00", renewal_price: "12.00", transfer_price: "9.05" };
    expect(JSON.parse(stdout)).toEqual([
      {
        tld: "com",
        ...prices,
        active: true,
        grace_days: 45,
        redemption_days: 30,
        pending_delete_days: 5,
      },
      {
        tld: "example",
        ...prices,
        registration_price: "1234.56",
        active: false,
        registrar: "registry-two",
        grace_days: 0,
        redemption_days: 30,
        pending_delete_days: 0,
        restore_price: "80.00",
      },
    ]);
  });
});
