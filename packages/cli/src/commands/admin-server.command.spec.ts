import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin server provision", () => {
  const line = "admin server provision --account 7 --plan 1 --region 2".split(" ");

  it.each([
    [[], 1, false],
    [["--months", "12", "--whitelisted"], 12, true],
  ])("provisions, with %j", async (flags, months, whitelisted) => {
    const requests: unknown[] = [];
    const implementation = {
      servers: {
        provisionServer: (request: admin.ProvisionServerRequest) => {
          const { accountId, planId, regionId } = request;
          requests.push([accountId, planId, regionId, request.months, request.whitelisted]);
          return { serverId: 5n };
        },
      },
    };
    const { stdout } = await runAgainst(implementation, [...line, ...flags, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ server_id: 5 });
    expect(requests).toEqual([[7n, 1n, 2n, months, whitelisted]]);
    expect((await runAgainst(implementation, [...line, ...flags])).stdout).toBe(
      "Server 5 is the account's.\n",
    );
  });

  it.each([
    [line.toSpliced(3, 2)],
    [line.toSpliced(5, 2)],
    [line.toSpliced(7, 2)],
    [[...line, "--months", "0"]],
    [[...line, "--months", "year"]],
    [line.with(4, "0")],
  ])("is wrong usage as %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

const verbs: readonly [string, boolean, "suspended" | "whitelisted", string][] = [
  ["suspend", true, "suspended", "Server 5 is suspended.\n"],
  ["unsuspend", false, "suspended", "Server 5 is released: it runs for as long as it is paid for.\n"],
  ["whitelist", true, "whitelisted", "Server 5 may turn its firewall off.\n"],
  ["unwhitelist", false, "whitelisted", "Server 5 may not turn its firewall off.\n"],
];

describe.each(verbs)("admin server %s", (verb, wanted, state, sentence) => {
  const line = ["admin", "server", verb, "5"];
  const implementation = {
    servers: {
      setServerSuspension: ({ serverId, suspended }: admin.SetServerSuspensionRequest) => ({
        serverId,
        suspended,
      }),
      setServerWhitelisting: ({ serverId, whitelisted }: admin.SetServerWhitelistingRequest) => ({
        serverId,
        whitelisted,
      }),
    },
  };

  it("prints a sentence, and answers JSON", async () => {
    expect((await runAgainst(implementation, line)).stdout).toBe(sentence);
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ server_id: 5, [state]: wanted });
  });

  it("is wrong usage without a server's id", async () => {
    for (const id of [[], ["0"], ["-1"], ["1e3"], ["web"]])
      expect(await runCommand(["admin", "server", verb, ...id])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

it("admin server suspend holds a server for a public reason, with a note of staff", async () => {
  const asked: unknown[] = [];
  const servers = {
    setServerSuspension: ({ serverId, suspended, reason, note }: admin.SetServerSuspensionRequest) => {
      asked.push([serverId, suspended, reason, note]);
      return { serverId, suspended, held: reason !== undefined };
    },
  };
  const line = ["admin", "server", "suspend", "5", "--reason", "Sends unwanted mail", "--note", "Ticket 17"];
  const { stdout } = await runAgainst({ servers }, line);
  expect(stdout).toBe("Server 5 is suspended, and held until it is unsuspended.\n");
  const json = (await runAgainst({ servers }, [...line, "--json"])).stdout;
  expect(JSON.parse(json)).toEqual({ server_id: 5, suspended: true, held: true, repeated: false });
  expect(asked[0]).toEqual([5n, true, "Sends unwanted mail", "Ticket 17"]);
});

it.each([
  ["terminating", "Server 5 ends: its machine is being destroyed.\n"],
  ["terminated", "Server 5 has ended.\n"],
])("admin server terminate of one that is %s prints what follows", async (status, sentence) => {
  const implementation = {
    servers: { terminateServer: ({ serverId }: admin.TerminateServerRequest) => ({ serverId, status }) },
  };
  const line = ["admin", "server", "terminate", "5"];
  expect((await runAgainst(implementation, line)).stdout).toBe(sentence);
  const { stdout } = await runAgainst(implementation, [...line, "--json"]);
  expect(JSON.parse(stdout)).toEqual({ server_id: 5, status, repeated: false });
  expect(await runCommand(line.slice(0, -1))).toMatchObject({ exitCode: 2, stdout: "" });
});

describe("admin server list and show", () => {
  const found = {
    id: 5n,
    accountId: 7n,
    status: "active",
    planId: 1n,
    regionId: 2n,
    distro: "Debian 13",
    node: "node-1",
    ipAddress: "192.0.2.7",
    hostname: "web-1",
    whitelisted: false,
    cancelled: false,
    autoRenew: true,
    createdAt: "2026-11-22",
    expiryDate: "2026-12-22",
  };
  const document = {
    server_id: 5,
    account_id: 7,
    status: "active",
    plan_id: 1,
    region_id: 2,
    distro: "Debian 13",
    node: "node-1",
    ip_address: "192.0.2.7",
    hostname: "web-1",
    whitelisted: false,
    cancelled: false,
    auto_renew: true,
    created_at: "2026-11-22",
    expiry_date: "2026-12-22",
    held: false,
    hold_reason: null,
    staff_reason: null,
  };

  it("list servers with their accounts", async () => {
    const asked: unknown[] = [];
    const servers = {
      listAllServers: ({ accountId, page }: admin.ListAllServersRequest) => {
        asked.push([accountId, page?.afterId, page?.limit]);
        return { servers: [found] };
      },
    };
    const line = ["admin", "server", "list"];
    expect(JSON.parse((await runAgainst({ servers }, [...line, "--json"])).stdout)).toEqual([document]);
    const { stdout } = await runAgainst({ servers }, [
      ...line,
      "--account",
      "7",
      "--after",
      "2",
      "--limit",
      "5",
    ]);
    expect(stdout).toContain("192.0.2.7");
    expect(asked).toEqual([
      [undefined, 0n, 1_000],
      [7n, 2n, 5],
    ]);
  });

  it("show a server by its id", async () => {
    const servers = { showServer: () => ({ server: found }) };
    const line = ["admin", "server", "show", "5"];
    expect(JSON.parse((await runAgainst({ servers }, [...line, "--json"])).stdout)).toEqual(document);
    expect((await runAgainst({ servers }, line)).stdout).toMatch(/renews automatically +yes/);
    expect(await runCommand(["admin", "server", "show", "web"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
