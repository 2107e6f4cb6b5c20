import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const listed = (id: number) => ({
  credentialId: BigInt(id),
  name: "Grace",
  prefix: `hla_${String(id)}_abcdef`,
  issuedAt: "2026-01-01",
  expiresAt: "2026-02-01",
  uses: 0n,
});

describe("admin auditor issue", () => {
  const implementation = {
    auditors: {
      issueAuditorCredential: ({ name, days }: { name: string; days: number }) => ({
        credentialId: 3n,
        credential: `hla_${name}_${String(days)}`,
        expiresAt: "2026-02-01",
      }),
    },
  };
  const line = ["admin", "auditor", "issue", "--name", "Grace", "--days", "30"];

  it("shows the credential to a person", async () => {
    expect(await runAgainst(implementation, line)).toEqual({
      exitCode: 0,
      stdout: "Credential 3, good until 2026-02-01, shown this once:\nhla_Grace_30\n",
      stderr: "",
    });
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      credential_id: 3,
      credential: "hla_Grace_30",
      expires_at: "2026-02-01",
    });
  });

  it.each([
    ["no name", ["--days", "30"]],
    ["no days", ["--name", "Grace"]],
    ["zero days", ["--name", "Grace", "--days", "0"]],
    ["days in words", ["--name", "Grace", "--days", "many"]],
  ])("is wrong usage with %s", async (_what, options) => {
    const { exitCode, stdout } = await runCommand(["admin", "auditor", "issue", ...options]);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });
});

describe("admin auditor add", () => {
  const auditors = {
    addStoreReader: ({ name, categories }: { name: string; categories: string[] }) => ({
      name,
      categories,
      password: "secret",
    }),
  };
  const line = ["admin", "auditor", "add", "ada", "--categories", "account, domain"];

  it("shows the password to a person", async () => {
    expect((await runAgainst({ auditors }, line)).stdout).toBe(
      "ada reads account, domain with this password, shown this once:\nsecret\n",
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst({ auditors }, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      name: "ada",
      categories: ["account", "domain"],
      password: "secret",
    });
  });

  it.each([
    ["no categories", ["ada"]],
    ["an empty category", ["ada", "--categories", "account,"]],
    ["no name", ["--categories", "account"]],
  ])("is wrong usage with %s", async (_what, more) => {
    expect((await runCommand(["admin", "auditor", "add", ...more])).exitCode).toBe(2);
  });
});

describe("admin auditor revoke", () => {
  it("prints a sentence", async () => {
    const auditors = {
      revokeAuditorCredential: ({ credentialId }: { credentialId: bigint }) => ({ credentialId }),
    };
    const { stdout } = await runAgainst({ auditors }, ["admin", "auditor", "revoke", "3"]);
    expect(stdout).toBe("Credential 3 is revoked.\n");
  });

  it("revokes a user who reads the store, by name", async () => {
    const auditors = { revokeStoreReader: ({ name }: { name: string }) => ({ name }) };
    const { stdout } = await runAgainst({ auditors }, ["admin", "auditor", "revoke", "ada"]);
    expect(stdout).toBe("ada can no longer read the store.\n");
  });

  it("is wrong usage without a right id or name", async () => {
    for (const wrong of ["0", "-1", "X", "1x", "", "9999999999999999"])
      expect((await runCommand(["admin", "auditor", "revoke", wrong])).exitCode, wrong).toBe(2);
  });
});

describe("admin auditor list", () => {
  const used = { ...listed(3), revokedAt: "2026-01-20", lastUsedAt: "2026-01-19", uses: 12n };
  const reader = { name: "ada", categories: ["account", "domain"], addedAt: "2026-01-03" };
  const implementation = {
    auditors: {
      listAuditorCredentials: () => ({ credentials: [used, listed(4)] }),
      listStoreReaders: () => ({ readers: [reader] }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "auditor", "list"]);
    expect(stdout).toBe(
      [
        "ID  NAME   PREFIX        EXPIRES     REVOKED     LAST USED   USES  READS OF THE STORE",
        " 3  Grace  hla_3_abcdef  2026-02-01  2026-01-20  2026-01-19    12  -",
        " 4  Grace  hla_4_abcdef  2026-02-01  -           -              0  -",
        " -  ada    -             -           -           -              -  account, domain",
        "",
      ].join("\n"),
    );
  });

  it("reads every page", async () => {
    const ids = Array.from({ length: 1_500 }, (_, index) => index + 1);
    const listAuditorCredentials = ({ page }: admin.ListAuditorCredentialsRequest) => ({
      credentials: ids
        .filter((id) => id > Number(page?.afterId ?? 0n))
        .slice(0, page?.limit)
        .map(listed),
    });
    const line = ["admin", "auditor", "list", "--json"];
    const listStoreReaders = () => ({ readers: [] });
    const auditors = { listAuditorCredentials, listStoreReaders };
    const { stdout } = await runAgainst({ auditors }, line);
    expect(JSON.parse(stdout)).toHaveLength(1_500);
  });
});
