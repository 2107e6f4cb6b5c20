import { describe, expect, it } from "vitest";

import { runAgainst } from "../testing/run-command.ts";

const nameservers = {
  kind: "domain-nameservers",
  resource: "a.com",
  severity: "major",
  expected: "ns1.example",
  found: "ns9.example",
  action: "Delegate it.",
};
const machine = {
  kind: "server-unpaid",
  resource: "server-9",
  severity: "critical",
  expected: "not held",
  found: "held on fra-1",
  action: "Find out whose it is.",
};
const nothing = { differences: [], unanswered: [], unlisted: [] };

function answering(domains: object, servers: object, stops: object[] = []) {
  const asked: boolean[] = [];
  const implementation = {
    projections: { listStoppedStreams: () => ({ streams: stops }) },
    domains: {
      reconcileDomains: ({ fix }: { readonly fix: boolean }) => {
        asked.push(fix);
        return { ...nothing, ...domains };
      },
    },
    servers: {
      reconcileServers: ({ fix }: { readonly fix: boolean }) => {
        asked.push(fix);
        return { ...nothing, ...servers };
      },
    },
  };
  return { asked, implementation };
}

describe("reconcile", () => {
  it("lists the differences of both services, the most serious first, and exits with 1", async () => {
    const { implementation, asked } = answering({ differences: [nameservers] }, { differences: [machine] });
    const answer = await runAgainst(implementation, ["reconcile", "--json"]);
    expect(answer).toMatchObject({ exitCode: 1, stderr: "2 things differ.\n" });
    expect(JSON.parse(answer.stdout)).toEqual({ differences: [machine, nameservers], not_compared: [] });
    expect((await runAgainst(implementation, ["reconcile"])).stdout).toBe(
      "critical server-unpaid server-9: expected not held, found held on fra-1. Find out whose it is.\n" +
        "major domain-nameservers a.com: expected ns1.example, found ns9.example. Delegate it.\n",
    );
    expect(asked).toEqual([false, false, false, false]);
  });

  it("names streams that are stopped by an unreadable event", async () => {
    const stop = {
      stream: "domain-a.com",
      revision: 3n,
      kind: "damaged",
      reason: "X.v1: the data is not JSON",
    };
    const { implementation } = answering({}, {}, [stop, { ...stop, stream: "server-9", kind: "newer" }]);
    const answer = await runAgainst(implementation, ["reconcile"]);
    expect(answer).toMatchObject({ exitCode: 1, stderr: "2 things differ.\n" });
    expect(answer.stdout).toBe(
      "critical stream-stopped domain-a.com: expected events that can be read, found X.v1: the data is not JSON. " +
        "Find out who wrote it, then: hostledger projections mend domain-a.com 3 --reason TEXT\n" +
        "critical stream-stopped server-9: expected events that can be read, found X.v1: the data is not JSON. Upgrade Hostledger.\n",
    );
  });

  it("exits with 0 if --fix has repaired everything", async () => {
    const { implementation, asked } = answering({ differences: [{ ...nameservers, mended: true }] }, {});
    const answer = await runAgainst(implementation, ["reconcile", "--fix", "--json"]);
    expect(answer.exitCode).toBe(0);
    expect(JSON.parse(answer.stdout)).toEqual({
      differences: [{ ...nameservers, action: "Mended." }],
      not_compared: [],
    });
    expect(asked).toEqual([true, true]);
  });

  it("exits with 0 and names what cannot be compared, if nothing differs", async () => {
    const { implementation } = answering({ unlisted: ["The registrar cannot be asked what it holds."] }, {});
    expect(await runAgainst(implementation, ["reconcile"])).toEqual({
      exitCode: 0,
      stdout: "The registrar cannot be asked what it holds.\nNothing differs.\n",
      stderr: "",
    });
  });

  it("exits with 1 if a provider did not answer", async () => {
    const { implementation } = answering({}, { unanswered: ["The compute provider is silent."] });
    expect(await runAgainst(implementation, ["reconcile"])).toEqual({
      exitCode: 1,
      stdout: "The compute provider is silent.\n",
      stderr: "0 things differ. Not everything could be compared.\n",
    });
  });
});
