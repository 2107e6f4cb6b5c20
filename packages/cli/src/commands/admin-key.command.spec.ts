import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin key issue", () => {
  const implementation = {
    accounts: {
      issueApiKey: ({ accountId }: { accountId: bigint }) => ({
        keyId: 3n,
        apiKey: `key-of-${String(accountId)}`,
      }),
    },
  };

  it("shows the key to a person", async () => {
    expect(await runAgainst(implementation, ["admin", "key", "issue", "7"])).toEqual({
      exitCode: 0,
      stdout: "Key 3, shown this once:\nkey-of-7\n",
      stderr: "",
    });
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "issue", "7", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ key_id: 3, api_key: "key-of-7" });
  });
});

describe("admin key revoke", () => {
  const implementation = { accounts: { revokeApiKey: ({ keyId }: { keyId: bigint }) => ({ keyId }) } };

  it("tells a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "revoke", "3"]);
    expect(stdout).toBe("Key 3 is revoked.\n");
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "revoke", "3", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ key_id: 3 });
  });
});

describe("admin key list", () => {
  const implementation = {
    accounts: {
      listApiKeys: ({ accountId }: { accountId: bigint }) => ({
        keys: [
          { keyId: 3n, prefix: `hl_${String(accountId)}`, issuedAt: "2026-01-01", revokedAt: "2026-02-02" },
          { keyId: 12n, prefix: "hl_b", issuedAt: "2026-03-03" },
        ],
      }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "list", "7"]);
    expect(stdout).toBe(
      [
        "KEY  PREFIX  ISSUED      REVOKED",
        "  3  hl_7    2026-01-01  2026-02-02",
        " 12  hl_b    2026-03-03  -",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "list", "7", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      { key_id: 3, prefix: "hl_7", issued_at: "2026-01-01", revoked_at: "2026-02-02" },
      { key_id: 12, prefix: "hl_b", issued_at: "2026-03-03", revoked_at: null },
    ]);
  });

  it("answers an empty array where there is none", async () => {
    const none = { accounts: { listApiKeys: () => ({ keys: [] }) } };
    expect((await runAgainst(none, ["admin", "key", "list", "7", "--json"])).stdout).toBe("[]\n");
  });
});

it.each(["issue", "revoke", "list"])("admin key %s is wrong usage without a right id", async (verb) => {
  expect(await runCommand(["admin", "key", verb])).toMatchObject({ exitCode: 2, stdout: "" });
  expect(await runCommand(["admin", "key", verb, "x"])).toMatchObject({ exitCode: 2, stdout: "" });
});
