import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe.each<[string, boolean, string]>([
  ["suspend", true, "suspended"],
  ["unsuspend", false, "expired"],
])("admin domain %s", (verb, wanted, status) => {
  const line = ["admin", "domain", verb, "3"];

  it("prints the domain's status, and answers JSON", async () => {
    const requests: unknown[] = [];
    const implementation = {
      domains: {
        setDomainSuspension: ({ domainId, suspended, reason }: admin.SetDomainSuspensionRequest) => {
          requests.push([domainId, suspended, reason]);
          return { domainId, status, offline: suspended };
        },
      },
    };
    expect((await runAgainst(implementation, line)).stdout).toBe(`Domain 3 is ${status}.\n`);
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ domain_id: 3, status, offline: wanted, repeated: false });
    expect(requests).toEqual([
      [3n, wanted, undefined],
      [3n, wanted, undefined],
    ]);
  });

  it("reports that its providers have not carried it out yet", async () => {
    const domains = { setDomainSuspension: () => ({ domainId: 3n, status, offline: !wanted }) };
    expect((await runAgainst({ domains }, line)).stdout).toBe(
      `Domain 3 is ${status}.\nIts registrar or DNS server has not carried that out yet, and is asked again.\n`,
    );
  });

  it("is wrong usage without a domain's id", async () => {
    for (const id of [[], ["0"], ["example.com"]])
      expect(await runCommand(["admin", "domain", verb, ...id])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

it("admin domain catch-up allows a late renewal", async () => {
  const asked: unknown[] = [];
  const domains = {
    allowLateRenewal: ({ domain }: admin.AllowLateRenewalRequest) => {
      asked.push(domain);
      return { domainId: 3n, expiryDate: "2024-03-01T10:00:00.000000Z" };
    },
  };
  const line = ["admin", "domain", "catch-up", "example.com"];
  expect((await runAgainst({ domains }, line)).stdout).toBe(
    "example.com is renewed from 2024-03-01 on, as far as its customer's balance goes.\n",
  );
  const { stdout } = await runAgainst({ domains }, [...line, "--json"]);
  expect(JSON.parse(stdout)).toEqual({
    domain_id: 3,
    expiry_date: "2024-03-01T10:00:00.000000Z",
    repeated: false,
  });
  expect(asked).toEqual(["example.com", "example.com"]);
  expect(await runCommand(line.slice(0, -1))).toMatchObject({ exitCode: 2, stdout: "" });
});

it("admin domain suspend stores a reason", async () => {
  const reasons: unknown[] = [];
  const domains = {
    setDomainSuspension: ({ domainId, reason }: admin.SetDomainSuspensionRequest) => {
      reasons.push(reason);
      return { domainId, status: "suspended", offline: true };
    },
  };
  await runAgainst({ domains }, ["admin", "domain", "suspend", "3", "--reason", "Phishing"]);
  expect(reasons).toEqual(["Phishing"]);
});

describe("admin domain list and show", () => {
  const found = {
    id: 3n,
    domainName: "example.com",
    accountId: 7n,
    status: "active",
    provider: "sandbox",
    autoRenew: true,
    usesServiceNameservers: true,
    nameservers: ["ns1.example", "ns2.example"],
    dnsRecordsCount: 2,
    createdAt: "2026-11-22",
  };
  const document = {
    domain_id: 3,
    domain_name: "example.com",
    account_id: 7,
    status: "active",
    provider: "sandbox",
    auto_renew: true,
    use_rdp_nameservers: true,
    nameservers: ["ns1.example", "ns2.example"],
    expiry_date: null,
    dns_records_count: 2,
    created_at: "2026-11-22",
    suspension_reason: null,
    offline: false,
  };

  it("list domains with their accounts", async () => {
    const asked: unknown[] = [];
    const domains = {
      listAllDomains: ({ accountId, page }: admin.ListAllDomainsRequest) => {
        asked.push([accountId, page?.afterId, page?.limit]);
        return { domains: [found] };
      },
    };
    const line = ["admin", "domain", "list"];
    expect(JSON.parse((await runAgainst({ domains }, [...line, "--json"])).stdout)).toEqual([document]);
    await runAgainst({ domains }, [...line, "--account", "7", "--after", "2", "--limit", "5"]);
    expect(asked).toEqual([
      [undefined, 0n, 1_000],
      [7n, 2n, 5],
    ]);
  });

  it("show a domain by its id or name", async () => {
    const domains = {
      showDomain: ({ domain }: { domain: string }) => {
        expect(domain).toBe("example.com");
        return { domain: found };
      },
    };
    const line = ["admin", "domain", "show", "example.com"];
    expect(JSON.parse((await runAgainst({ domains }, [...line, "--json"])).stdout)).toEqual(document);
    expect((await runAgainst({ domains }, line)).stdout).toContain("ns1.example ns2.example");
  });
});

describe("admin domain transfer", () => {
  const asked: unknown[] = [];
  const domains = {
    releaseDomain: ({ domain }: admin.ReleaseDomainRequest) => {
      asked.push(domain);
      return { domainId: 3n, status: "transferring", authCode: "let-me-go" };
    },
    showDomain: () => ({ domain: { id: 3n } }),
    setDomainTransfer: ({ domainId, transferring }: admin.SetDomainTransferRequest) => {
      asked.push([domainId, transferring]);
      return { domainId, status: "active" };
    },
  };
  const line = ["admin", "domain", "transfer", "example.com"];

  it("marks a domain as leaving and shows its code, as text and as JSON", async () => {
    const { stdout } = await runAgainst({ domains }, line);
    expect(stdout).toBe("example.com is transferring. Its code for the other registrar: let-me-go\n");
    const document = JSON.parse((await runAgainst({ domains }, [...line, "--json"])).stdout);
    expect(document).toEqual({ domain_id: 3, status: "transferring", auth_code: "let-me-go" });
  });

  it("ends the transfer, and reports that the domain is still unlocked", async () => {
    asked.length = 0;
    const { stdout } = await runAgainst({ domains }, [...line, "--stop"]);
    expect(stdout).toBe("example.com is active. It is still unlocked: its customer can lock it.\n");
    expect(asked).toEqual([[3n, false]]);
    expect(await runCommand(line.slice(0, -1))).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
