import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin service issue", () => {
  const teams = {
    issueServiceCredential: ({ name, scopes, expiresAt }: admin.IssueServiceCredentialRequest) => ({
      name,
      scopes,
      credential: "hlt_secret",
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }),
  };
  const line = ["admin", "service", "issue", "reporting", "--scopes", "accounts:read,invoices:read"];

  it("shows the credential to a person", async () => {
    expect(await runAgainst({ teams }, [...line, "--expires", "2027-01-31"])).toEqual({
      exitCode: 0,
      stdout:
        "reporting may call accounts:read, invoices:read, until 2027-01-31T23:59:59.999999Z. The credential, shown this once:\nhlt_secret\n",
      stderr: "",
    });
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst({ teams }, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      name: "reporting",
      scopes: ["accounts:read", "invoices:read"],
      token: "hlt_secret",
      expires_at: null,
    });
  });

  it.each([
    ["no name", ["--scopes", "charges"]],
    ["no scopes", ["reporting"]],
    ["an end that is no time", ["reporting", "--scopes", "charges", "--expires", "soon"]],
  ])("is wrong usage with %s", async (_what, options) => {
    const { exitCode, stdout } = await runCommand(["admin", "service", "issue", ...options]);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });
});

it("admin service list shows each team's scopes and expiry", async () => {
  const teams = {
    listServiceCredentials: () => ({
      credentials: [
        { name: "reporting", scopes: ["accounts:read", "charges"], issuedAt: "2026-11-22" },
        {
          name: "shop",
          scopes: ["charges"],
          issuedAt: "2026-11-22",
          expiresAt: "2027-01-01",
          revokedAt: "2026-12-01",
        },
      ],
    }),
  };
  const { stdout } = await runAgainst({ teams }, ["admin", "service", "list"]);
  expect(stdout.split("\n")).toEqual([
    "NAME       SCOPES                 ISSUED      EXPIRES     REVOKED",
    "reporting  accounts:read,charges  2026-11-22  -           -",
    "shop       charges                2026-11-22  2027-01-01  2026-12-01",
    "",
  ]);
});

it("admin service revoke names the revoked team", async () => {
  const teams = { revokeServiceCredential: ({ name }: { name: string }) => ({ name }) };
  const { stdout } = await runAgainst({ teams }, ["admin", "service", "revoke", "shop"]);
  expect(stdout).toBe("The credential of shop is revoked.\n");
});
