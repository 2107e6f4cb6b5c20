import type { admin } from "@hostledger/protocol";
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

  it("passes on the limits of the key", async () => {
    const asked: unknown[] = [];
    const recording = {
      accounts: {
        issueApiKey: ({ label, scopes, expiresAt, addresses }: admin.IssueApiKeyRequest) => {
          asked.push({ label, scopes, expiresAt, addresses });
          return { keyId: 3n, apiKey: "key" };
        },
      },
    };
    const limits = ["--label", "Web server", "--scopes", "read, dns:txt", "--addresses", "192.0.2.0/24,::1"];
    await runAgainst(recording, [
      "admin",
      "key",
      "issue",
      "7",
      ...limits,
      "--expires",
      "2030-01-31T12:00:00Z",
    ]);
    await runAgainst(recording, ["admin", "key", "issue", "7"]);
    expect(asked).toEqual([
      {
        label: "Web server",
        scopes: ["read", "dns:txt"],
        expiresAt: "2030-01-31T12:00:00Z",
        addresses: ["192.0.2.0/24", "::1"],
      },
      { label: "", scopes: [], expiresAt: undefined, addresses: [] },
    ]);
    const empty = ["admin", "key", "issue", "7", "--scopes", "read,"];
    expect(await runAgainst(recording, empty)).toMatchObject({ exitCode: 2 });
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "issue", "7", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ key_id: 3, api_key: "key-of-7" });
  });
});

describe("admin key revoke", () => {
  const implementation = { accounts: { revokeApiKey: ({ keyId }: { keyId: bigint }) => ({ keyId }) } };

  it("prints a sentence", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "revoke", "3"]);
    expect(stdout).toBe("Key 3 is revoked.\n");
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "revoke", "3", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ key_id: 3, repeated: false });
  });
});

describe("admin key list", () => {
  const implementation = {
    accounts: {
      listApiKeys: ({ accountId }: { accountId: bigint }) => ({
        keys: [
          { keyId: 3n, prefix: `hl_${String(accountId)}`, issuedAt: "2026-01-01", revokedAt: "2026-02-02" },
          {
            keyId: 12n,
            prefix: "hl_b",
            issuedAt: "2026-03-03",
            label: "web",
            scopes: ["dns:txt", "read"],
            expiresAt: "2027-01-01",
            addresses: ["::1"],
            lastUsedOn: "2026-04-04",
          },
        ],
      }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "list", "7"]);
    expect(stdout).toBe(
      [
        "KEY  PREFIX  ISSUED      REVOKED     LAST USED   LABEL  SCOPES        EXPIRES     ADDRESSES",
        "  3  hl_7    2026-01-01  2026-02-02  -           -      all           -           -",
        " 12  hl_b    2026-03-03  -           2026-04-04  web    dns:txt,read  2027-01-01  ::1",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "key", "list", "7", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      {
        key_id: 3,
        prefix: "hl_7",
        issued_at: "2026-01-01",
        revoked_at: "2026-02-02",
        label: "",
        scopes: null,
        expires_at: null,
        addresses: [],
        last_used_on: null,
      },
      {
        key_id: 12,
        prefix: "hl_b",
        issued_at: "2026-03-03",
        revoked_at: null,
        label: "web",
        scopes: ["dns:txt", "read"],
        expires_at: "2027-01-01",
        addresses: ["::1"],
        last_used_on: "2026-04-04",
      },
    ]);
  });

  it("lists exposed keys of all accounts, a part of the log at a time", async () => {
    const key = { keyId: 12n, prefix: "hlk_7_12_abc", issuedAt: "2026-03-03" };
    const asked: bigint[] = [];
    const exposed = {
      accounts: {
        listExposedApiKeys({ afterPosition }: { afterPosition: bigint }) {
          asked.push(afterPosition);
          return afterPosition === 0n ? { keys: [], nextPosition: 9n } : { keys: [{ accountId: 7n, key }] };
        },
      },
    };
    const list = ["admin", "key", "list", "--exposed"];
    expect(JSON.parse((await runAgainst(exposed, [...list, "--json"])).stdout)).toMatchObject([
      { account_id: 7, key_id: 12, prefix: "hlk_7_12_abc", revoked_at: null },
    ]);
    expect(asked).toEqual([0n, 9n]);
    expect((await runAgainst(exposed, list)).stdout).toContain("ACCOUNT  KEY  PREFIX");
    expect(await runAgainst(exposed, [...list, "7"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("answers an empty array without keys", async () => {
    const none = { accounts: { listApiKeys: () => ({ keys: [] }) } };
    expect((await runAgainst(none, ["admin", "key", "list", "7", "--json"])).stdout).toBe("[]\n");
  });
});

it.each(["issue", "revoke", "list"])("admin key %s is wrong usage without a right id", async (verb) => {
  expect(await runCommand(["admin", "key", verb])).toMatchObject({ exitCode: 2, stdout: "" });
  expect(await runCommand(["admin", "key", verb, "x"])).toMatchObject({ exitCode: 2, stdout: "" });
});
