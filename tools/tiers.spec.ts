import { globSync } from "node:fs";
import { dirname, matchesGlob } from "node:path";

import { describe, expect, it } from "vitest";

import {
  filesOf,
  longestFiles,
  longestFirst,
  mixed,
  specsOf,
  tiers,
  tiersNamed,
  workerGroupsOf,
} from "./tiers.ts";

const root = dirname(import.meta.dirname);
const specs = globSync("{packages,services,gateway,host,test,tools}/**/*.spec.ts", {
  cwd: root,
  exclude: ["**/node_modules/**"],
});

/** The tiers that run a file. */
function tiersOf(file: string): readonly string[] {
  return tiers.flatMap((tier) => {
    const { include, exclude } = filesOf(tier);
    const has = (patterns: readonly string[]): boolean => patterns.some((one) => matchesGlob(file, one));
    return has(include) && !has(exclude) ? [tier.name] : [];
  });
}

describe("the tiers", () => {
  it.each([
    ["packages/core/src/a.spec.ts", ["unit"]],
    ["packages/core/src/a.int.spec.ts", ["integration"]],
    [
      "test/acceptance/a.int.spec.ts",
      ["integration", "acceptance over EventStoreDB's protocol, EPP, PowerDNS and Proxmox VE"],
    ],
    ["test/acceptance/reconcile.int.spec.ts", ["integration", "acceptance over EventStoreDB's protocol"]],
    ["test/e2e/late-orders.int.spec.ts", ["integration", "paid orders over EPP"]],
    ["test/e2e/crash-points.e2e.spec.ts", ["e2e", "paid orders over EPP"]],
    ["test/acceptance/contract-refusals.int.spec.ts", ["integration"]],
    ["services/domain/src/rpc/a.int.spec.ts", ["integration", "services on PostgreSQL"]],
    ["services/domain/src/changes/a.int.spec.ts", ["integration"]],
    ["packages/read/src/projector/a.int.spec.ts", ["integration", "read models on PostgreSQL"]],
    ["packages/read/src/postgres/a.int.spec.ts", ["integration"]],
    ["services/domain/src/changes/crash.int.spec.ts", ["crashes"]],
    ["packages/esdb/src/client/successor-client.e2e.spec.ts", ["EventStoreDB's next client"]],
    ["test/e2e/a.e2e.spec.ts", ["e2e"]],
    ["test/e2e/a.chromium.e2e.spec.ts", ["chromium"]],
    ["packages/audit/src/reports/a.hledger.e2e.spec.ts", ["hledger"]],
    ["test/e2e/a.promtool.e2e.spec.ts", ["promtool"]],
    ["test/e2e/a.haproxy.e2e.spec.ts", ["haproxy"]],
    ["packages/providers/src/a.xmllint.e2e.spec.ts", ["xmllint"]],
    ["test/e2e/a.long.e2e.spec.ts", ["long"]],
    ["packages/core/src/a.long.int.spec.ts", ["long"]],
    ["test/acceptance/a.long.int.spec.ts", ["long"]],
    ["test/e2e/a.long.xfs.e2e.spec.ts", ["xfs"]],
    ["packages/audit/src/a.long.mustang.e2e.spec.ts", ["Mustang"]],
  ])("run %s in %s", (file, expected) => {
    expect(tiersOf(file)).toEqual(expected);
  });

  it("cover all files, and each once unless it runs on another engine or provider", () => {
    expect(specs.length).toBeGreaterThan(300);
    const others = tiers.filter(
      ({ again, env, program }) => again ?? (env !== undefined && program === undefined),
    );
    const again = others.map(({ name }) => name);
    const wrong = specs.filter((file) => tiersOf(file).filter((name) => !again.includes(name)).length !== 1);
    expect(wrong).toEqual([]);
  });

  it("each have a file", () => {
    const found = new Set(specs.flatMap(tiersOf));
    expect(tiers.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
  });
});

describe("tiers by name", () => {
  it("are the requested ones; default: all", () => {
    expect(tiersNamed("e2e;unit").map(({ name }) => name)).toEqual(["e2e", "unit"]);
    expect(tiersNamed(undefined)).toBe(tiers);
  });

  it("are refused if unknown", () => {
    expect(() => tiersNamed("unit;units")).toThrow('There is no tier "units"');
  });
});

describe("workers", () => {
  const groups = workerGroupsOf(tiers);

  it("are shared by tiers that need the same", () => {
    const names = workerGroupsOf(tiersNamed("unit;crashes;lego;e2e;pdns")).map(
      ({ name, tiers: together }) => [name, together.map((tier) => tier.name)],
    );
    expect(names).toEqual([
      ["unit and others", ["unit", "e2e", "pdns"]],
      ["crashes", ["crashes"]],
      ["lego", ["lego"]],
    ]);
  });

  it("share one environment, and every tier has workers", () => {
    for (const { tiers: together } of groups)
      expect(new Set(together.map(({ env, ownWorkers }) => JSON.stringify([env, ownWorkers]))).size).toBe(1);
    expect(groups.flatMap(({ tiers: together }) => together)).toHaveLength(tiers.length);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });

  it("run the files of their tiers", () => {
    const found = tiersNamed("e2e;strace").flatMap((tier) => specsOf(tier, root));
    expect(found).toContain("packages/store/src/embedded/sync-before-answer.strace.e2e.spec.ts");
    expect(found.toSorted()).toEqual(
      specs.filter((file) => tiersOf(file).some((name) => name === "e2e" || name === "strace")).toSorted(),
    );
    expect(new Set(found).size).toBe(found.length);
  });
});

describe("the files that take longest", () => {
  it("exist", () => {
    expect(longestFiles.filter((file) => !specs.includes(file))).toEqual([]);
  });

  it("begin first, and the others keep their order", () => {
    const [first = "", second = ""] = longestFiles;
    const files = ["b.spec.ts", second, "a.spec.ts", first].map((file) => `/checkout/${file}`);
    expect(longestFirst(files, (file) => file)).toEqual(
      [first, second, "b.spec.ts", "a.spec.ts"].map((file) => `/checkout/${file}`),
    );
  });
});

describe("the other files", () => {
  it("are mixed, alike however they come, and none is lost", () => {
    const files = specs.slice(0, 100);
    const order = mixed(files, (file) => file);
    expect(order.toSorted()).toEqual(files.toSorted());
    expect(order).not.toEqual(files);
    expect(mixed(files.toReversed(), (file) => file)).toEqual(order);
  });
});
