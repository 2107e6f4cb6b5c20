import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

type AddStaffMemberRequest = admin.AddStaffMemberRequest;

describe("admin staff add", () => {
  const implementation = {
    members: {
      addStaffMember: ({ name, role, expiresAt }: AddStaffMemberRequest) => ({
        name,
        role,
        token: "hls_token",
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }),
    },
  };
  const line = ["admin", "staff", "add", "anna", "--role", "finance"];

  it("shows the token to a person", async () => {
    expect(await runAgainst(implementation, [...line, "--expires", "2027-01-31"])).toEqual({
      exitCode: 0,
      stdout:
        "anna is finance, until 2027-01-31T23:59:59.999999Z. The token for HOSTLEDGER_ADMIN_TOKEN, shown this once:\nhls_token\n",
      stderr: "",
    });
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ name: "anna", role: "finance", token: "hls_token" });
  });

  it.each([
    ["no name", ["--role", "owner"]],
    ["no role", ["anna"]],
    ["another role", ["anna", "--role", "root"]],
    ["an end that is no time", ["anna", "--role", "owner", "--expires", "soon"]],
  ])("is wrong usage with %s", async (_what, options) => {
    const { exitCode, stdout } = await runCommand(["admin", "staff", "add", ...options]);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });
});

it("admin staff list shows the members and their expiry", async () => {
  const members = {
    listStaffMembers: () => ({
      members: [
        { name: "anna", role: "owner", addedAt: "2026-11-22" },
        {
          name: "ben",
          role: "support",
          addedAt: "2026-11-22",
          expiresAt: "2027-01-01",
          revokedAt: "2026-12-01",
        },
      ],
    }),
  };
  const { stdout } = await runAgainst({ members }, ["admin", "staff", "list"]);
  expect(stdout.split("\n")).toEqual([
    "NAME  ROLE     ADDED       EXPIRES     REVOKED",
    "anna  owner    2026-11-22  -           -",
    "ben   support  2026-11-22  2027-01-01  2026-12-01",
    "",
  ]);
});

it("admin staff revoke names the revoked member", async () => {
  const members = { revokeStaffMember: ({ name }: { name: string }) => ({ name }) };
  const { stdout } = await runAgainst({ members }, ["admin", "staff", "revoke", "ben"]);
  expect(stdout).toBe("The token of ben is revoked.\n");
});
