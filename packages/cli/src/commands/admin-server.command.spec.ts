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
  ["unsuspend", false, "suspended", "Server 5 is active.\n"],
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

  it("tells a person, and answers JSON", async () => {
    expect((await runAgainst(implementation, line)).stdout).toBe(sentence);
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ server_id: 5, [state]: wanted });
  });

  it("is wrong usage without a server's id", async () => {
    for (const id of [[], ["0"], ["-1"], ["1e3"], ["web"]])
      expect(await runCommand(["admin", "server", verb, ...id])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

it.each([
  ["terminating", "Server 5 ends: its machine is being destroyed.\n"],
  ["terminated", "Server 5 has ended.\n"],
])("admin server terminate says of one that is %s what becomes of it", async (status, sentence) => {
  const implementation = {
    servers: { terminateServer: ({ serverId }: admin.TerminateServerRequest) => ({ serverId, status }) },
  };
  const line = ["admin", "server", "terminate", "5"];
  expect((await runAgainst(implementation, line)).stdout).toBe(sentence);
  const { stdout } = await runAgainst(implementation, [...line, "--json"]);
  expect(JSON.parse(stdout)).toEqual({ server_id: 5, status });
  expect(await runCommand(line.slice(0, -1))).toMatchObject({ exitCode: 2, stdout: "" });
});
