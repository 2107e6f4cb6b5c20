import { done, refused, type Compute, type Firewall, type Outcome } from "@hostledger/providers";
import { serverExamples } from "@hostledger/core/testing";
import { desiredNode, server, type ServerEvent, type ServerState } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { namedInstallation } from "@hostledger/event-store/testing";
import { realTiming, silentLogger } from "@hostledger/runtime";
import { describe, expect, it, onTestFinished } from "vitest";

import { eventually } from "../server-service.fixture.ts";
import type { ServerRow } from "../reads/server.queries.ts";
import { createNodeReconciler } from "./node-reconciler.ts";

const unused = (): never => {
  throw new Error("not part of this spec");
};

const stateAfter = (...facts: readonly ServerEvent[]): ServerState =>
  facts.reduce(server.evolve, server.initialState);
const active = stateAfter(...serverExamples.histories.active);
const suspended = stateAfter(...serverExamples.histories.suspended);

/** Creates servers in one state, with simulated nodes. */
function harness(
  state: ServerState,
  { count = 1, running = true, firewall = desiredNode(active)?.firewall } = {},
) {
  const calls: string[] = [];
  const nodes = new Map<string, { running: boolean; firewall: Firewall }>();
  const absent = new Set<string>();
  for (let id = 1; id <= count; id += 1)
    nodes.set(`server-${String(id)}`, { running, firewall: firewall ?? { enabled: true, rules: [] } });
  let broken: Outcome<never> | undefined;
  const call = <T>(name: string, method: string, answer: () => T): Promise<Outcome<T>> => {
    calls.push(`${method} ${name}`);
    return Promise.resolve(broken ?? done(answer()));
  };
  const node = (name: string) => nodes.get(name) ?? unused();
  const change = (name: string, method: string, by: Partial<{ running: boolean; firewall: Firewall }>) =>
    call(name, method, () => {
      nodes.set(name, { ...node(name), ...by });
    });
  const compute: Compute = {
    provision: unused,
    destroy: unused,
    inquire: (name) =>
      call(name, "inquire", () =>
        absent.has(name)
          ? { held: false }
          : {
              held: true,
              server: { ...serverExamples.place, name, running: node(name).running, provisionedAt: "" },
            },
      ),
    suspend: (name) => change(name, "suspend", { running: false }),
    resume: (name) => change(name, "resume", { running: true }),
    replaceFirewall: (name, next) => change(name, "replaceFirewall", { firewall: next }),
    readFirewall: (name) =>
      call(name, "readFirewall", () => ({
        rules: node(name).firewall.rules,
        options: {
          enable: node(name).firewall.enabled,
          policyIn: "DROP",
          policyOut: "ACCEPT",
          logLevelIn: "nolog",
          logLevelOut: "nolog",
          macfilter: true,
          dhcp: false,
          ndp: true,
          radv: false,
          ipfilter: false,
        },
      })),
  };
  const reconciler = createNodeReconciler({
    commands: loading(state),
    compute,
    installation: namedInstallation(),
    queries: { lastChangedServers: (before, limit) => Promise.resolve(rowsBefore(count, before.id, limit)) },
    logger: silentLogger(),
    clock: { ...realTiming, epochMilliseconds: () => Date.now(), now: () => serverExamples.at },
  });
  return {
    reconciler,
    calls,
    nodes,
    absent,
    breakWith(answer: Outcome<never> | undefined) {
      broken = answer;
    },
  };
}

/** A command handler in which every server has this state. */
function loading(state: ServerState): CommandHandler {
  return {
    execute: unused,
    statistics: unused,
    load: (aggregate) => {
      const replayed = serverExamples.histories[state.status === "suspended" ? "suspended" : "active"];
      let folded = aggregate.decider.initialState;
      for (const fact of replayed)
        folded = aggregate.decider.evolve(
          folded,
          aggregate.codec.decode(aggregate.codec.storedType(fact.type), JSON.stringify(fact.data)),
        );
      return Promise.resolve({ state: folded, revision: 0n, position: 0n });
    },
  };
}

/** Returns rows by descending id, as if the highest id changed last. */
function rowsBefore(count: number, id: number, limit: number): ServerRow[] {
  const below = id === 0 ? count : id - 1;
  return Array.from({ length: Math.min(limit, below) }, (_, index) => ({
    id: below - index,
    account_id: 7,
    order_id: "o-1",
    plan_id: 2,
    region_id: 3,
    distro: "Debian 13",
    status: below - index === 3 ? "provisioning" : "active",
    ip_address: "",
    node: "",
    rdns: "",
    hostname: null,
    whitelisted: 0,
    firewall_enabled: 1,
    created_at: "",
    expiry_date: "",
    cancelled: 0,
    auto_renew: 0,
    next_try_at: null,
    missed_cents: null,
    suspended_at: null,
    held: 0,
    hold_reason: null,
    staff_reason: null,
    released_at: null,
    node_changed_at: "",
  }));
}

describe("the reconciler of the nodes", () => {
  it("asks, and writes nothing, where everything is as it shall be", async () => {
    const { reconciler, calls } = harness(active);
    expect(await reconciler.settle(1)).toEqual(done(undefined));
    expect(calls).toEqual(["inquire server-1", "readFirewall server-1"]);
  });

  it("sets right what differs, and only that", async () => {
    const stopped = harness(active, { running: false });
    await stopped.reconciler.settle(1);
    expect(stopped.calls).toContain("resume server-1");
    expect(stopped.calls).not.toContain("replaceFirewall server-1");
    const going = harness(suspended, { firewall: { enabled: false, rules: [] } });
    await going.reconciler.settle(1);
    expect(going.nodes.get("server-1")).toEqual({
      running: false,
      firewall: desiredNode(active)?.firewall,
    });
  });

  it("tells a rule that differs in one word, or in its place", async () => {
    const right = desiredNode(active)?.firewall ?? unused();
    const [mail = unused(), monitoring = unused()] = right.rules;
    for (const rules of [[monitoring, mail], [mail], [mail, { ...monitoring, enable: false }]]) {
      const { reconciler, nodes } = harness(active, { firewall: { enabled: true, rules } });
      await reconciler.settle(1);
      expect(nodes.get("server-1")?.firewall).toEqual(right);
    }
  });

  it("inspects every server, page by page, but none that is not there yet", async () => {
    const { reconciler, calls } = harness(active, { count: 250 });
    await reconciler.inspect();
    const asked = calls.filter((call) => call.startsWith("inquire"));
    expect(new Set(asked)).toHaveLength(249);
    expect(asked).not.toContain("inquire server-3");
    expect(asked[0]).toBe("inquire server-250");
  });

  it("keeps in doubt what it cannot set right, and tries again until it can", async () => {
    const { reconciler, breakWith, nodes, absent } = harness(active, { running: false });
    breakWith(refused("unreachable", "No connection"));
    expect(await reconciler.settle(1)).toMatchObject({ outcome: "refused" });
    expect(reconciler.isSettled).toBe(false);
    absent.add("server-2");
    const stopping = new AbortController();
    const running = reconciler.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
    breakWith(undefined);
    await eventually(() => {
      expect(nodes.get("server-1")?.running).toBe(true);
      expect(reconciler.isSettled).toBe(true);
    });
    reconciler.doubt(2);
    await eventually(() => {
      expect(reconciler.isSettled).toBe(false);
    });
    expect(await reconciler.settle(2)).toMatchObject({ outcome: "refused", reason: "rejected" });
  });
});
