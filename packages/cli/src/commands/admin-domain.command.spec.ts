import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe.each<[string, boolean, string]>([
  ["suspend", true, "suspended"],
  ["unsuspend", false, "expired"],
])("admin domain %s", (verb, wanted, status) => {
  const line = ["admin", "domain", verb, "3"];

  it("tells a person the domain's status, and answers JSON", async () => {
    const requests: unknown[] = [];
    const implementation = {
      domains: {
        setDomainSuspension: ({ domainId, suspended }: admin.SetDomainSuspensionRequest) => {
          requests.push([domainId, suspended]);
          return { domainId, status };
        },
      },
    };
    expect((await runAgainst(implementation, line)).stdout).toBe(`Domain 3 is ${status}.\n`);
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ domain_id: 3, status });
    expect(requests).toEqual([
      [3n, wanted],
      [3n, wanted],
    ]);
  });

  it("is wrong usage without a domain's id", async () => {
    for (const id of [[], ["0"], ["example.com"]])
      expect(await runCommand(["admin", "domain", verb, ...id])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
