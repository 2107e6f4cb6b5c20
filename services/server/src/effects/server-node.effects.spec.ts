import { done, refused, type Compute, type Firewall, type Outcome } from "@hostledger/providers";
import { serverExamples } from "@hostledger/core/testing";
import { desiredNode, server, type ServerEvent, type ServerState } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import { namedInstallation } from "@hostledger/store/testing";
import type { Attended } from "@hostledger/work";
import { describe, expect, it } from "vitest";

import { serverNodeWork } from "./server-node.effects.ts";

const unused = (): never => {
  throw new Error("not part of this spec");
};

const stateAfter = (...events: readonly ServerEvent[]): ServerState =>
  events.reduce(server.evolve, server.initialState);
const active = stateAfter(...serverExamples.histories.active);
const suspended = stateAfter(...serverExamples.histories.suspended);

/** Creates a server in a state, with its events and a node whose behaviour the spec defines. */
function harness(state: ServerState, { running = true, firewall = desiredNode(active)?.firewall } = {}) {
  const calls: string[] = [];
  const nodes = new Map<string, { running: boolean; firewall: Firewall }>();
  const absent = new Set<string>();
  nodes.set("server-5", { running, firewall: firewall ?? { enabled: true, rules: [] } });
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
  const work = serverNodeWork({
    commands: loading(state),
    compute,
    installation: namedInstallation(),
    clock: { now: () => serverExamples.at },
  });
  return {
    look: (): Promise<Attended> =>
      work.attend("5", {
        now: () => serverExamples.at,
        isTimeTrusted: () => true,
        signal: new AbortController().signal,
        failure: undefined,
      }),
    calls,
    nodes,
    absent,
    breakWith(answer: Outcome<never> | undefined) {
      broken = answer;
    },
  };
}

function loading(state: ServerState): CommandHandler {
  return {
    execute: unused,
    statistics: unused,
    load: (aggregate) => {
      const replayed = serverExamples.histories[state.status === "suspended" ? "suspended" : "active"];
      let folded = aggregate.decider.initialState;
      for (const event of replayed)
        folded = aggregate.decider.evolve(
          folded,
          aggregate.codec.decode(aggregate.codec.storedType(event.type), JSON.stringify(event.data)),
        );
      return Promise.resolve({ state: folded, revision: 0n, position: 0n });
    },
  };
}

describe("the work on nodes", () => {
  it("asks, and writes nothing, if everything is in the desired state", async () => {
    const { look, calls } = harness(active);
    expect(await look()).toMatchObject({ end: "waiting", steps: [] });
    expect(calls).toEqual(["inquire server-5", "readFirewall server-5"]);
  });

  it("repairs the differences, and changes nothing else", async () => {
    const stopped = harness(active, { running: false });
    await stopped.look();
    expect(stopped.calls).toContain("resume server-5");
    expect(stopped.calls).not.toContain("replaceFirewall server-5");
    const going = harness(suspended, { firewall: { enabled: false, rules: [] } });
    expect(await going.look()).toMatchObject({ end: "waiting", steps: ["node set right", "node set right"] });
    expect(going.nodes.get("server-5")).toEqual({
      running: false,
      firewall: desiredNode(active)?.firewall,
    });
  });

  it("detects a rule that differs in one word, or in its position", async () => {
    const right = desiredNode(active)?.firewall ?? unused();
    const [mail = unused(), monitoring = unused()] = right.rules;
    for (const rules of [[monitoring, mail], [mail], [mail, { ...monitoring, enable: false }]]) {
      const { look, nodes } = harness(active, { firewall: { enabled: true, rules } });
      await look();
      expect(nodes.get("server-5")?.firewall).toEqual(right);
    }
  });

  it("fails if the node cannot be asked, or no longer has the machine", async () => {
    const { look, breakWith, absent, nodes } = harness(active, { running: false });
    breakWith(refused("unreachable", "No connection"));
    expect(await look()).toMatchObject({ end: "failed", reason: "No connection" });
    breakWith(undefined);
    absent.add("server-5");
    expect(await look()).toMatchObject({
      end: "failed",
      reason: "The compute provider does not hold server-5.",
    });
    absent.clear();
    expect(await look()).toMatchObject({ end: "waiting" });
    expect(nodes.get("server-5")?.running).toBe(true);
  });
});
