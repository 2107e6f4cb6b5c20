import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { cruiseModules, type Cruised } from "./cruise-modules.ts";
import { dependencyRules, packageImports } from "./dependency-rules.ts";

const root = join(import.meta.dirname, "../..");

describe("the dependency graph", () => {
  let cruised: Cruised;
  beforeAll(async () => {
    cruised = await cruiseModules(root, ["packages", "services", "gateway", "host", "test", "tools"]);
  });

  it("obeys every rule", () => {
    const broken = cruised.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
    expect(broken).toEqual([]);
  });

  it("was seen whole", () => {
    // With a TypeScript it does not support, dependency-cruiser sees no module and reports no violation.
    const seen = new Set(cruised.modules.map((module) => module.source));
    const written = globSync("{packages,services}/*/src/**/*.ts", { cwd: root, exclude: ["**/gen/**"] });
    expect(written.length).toBeGreaterThan(100);
    expect(written.filter((file) => !seen.has(file))).toEqual([]);
  });

  it("has edges between the packages", () => {
    const index = cruised.modules.find((module) => module.source === "packages/store/src/index.ts");
    expect(index?.dependencies.map((dependency) => dependency.resolved)).toContain(
      "packages/store/src/event-store.port.ts",
    );
    const doors = cruised.modules.filter((module) => /^packages\/[^/]+\/src\/index\.ts$/.test(module.source));
    expect(doors.filter((door) => door.dependents.length > 0).length).toBeGreaterThan(5);
  });

  it("has a rule for every package", () => {
    const packages = globSync("packages/*/package.json", { cwd: root }).map((file) =>
      basename(dirname(file)),
    );
    expect(packages.toSorted()).toEqual(Object.keys(packageImports).toSorted());
  });
});

/** A small workspace for each rule that breaks it, and this rule must notice. */
const breaches: readonly (readonly [rule: string, files: Readonly<Record<string, string>>])[] = [
  [
    "no-cycles",
    {
      "packages/rpc/src/a.ts": 'export * from "./b.ts";',
      "packages/rpc/src/b.ts": 'import "./a.ts"; export const b = 1;',
    },
  ],
  [
    "front-door-only",
    { "packages/rpc/src/a.ts": 'import "../../core/src/inside.ts";', "packages/core/src/inside.ts": "" },
  ],
  [
    "front-door-only-for-tests",
    { "test/a.ts": 'import "../packages/core/src/inside.ts";', "packages/core/src/inside.ts": "" },
  ],
  [
    "audit-log",
    { "packages/audit/src/log/a.ts": 'import "../reports/b.ts";', "packages/audit/src/reports/b.ts": "" },
  ],
  ["everything-resolves", { "packages/rpc/src/a.ts": 'import "@hostledger/core/src/inside.ts";' }],
  [
    "tests-stay-out-of-the-product",
    { "packages/rpc/src/a.ts": 'import "./b.spec.ts";', "packages/rpc/src/b.spec.ts": "" },
  ],
  [
    "direction-runtime",
    {
      "packages/runtime/src/a.ts": 'import type { A } from "../../core/src/index.ts";',
      "packages/core/src/index.ts": "export type A = 1;",
    },
  ],
  [
    "direction-gateway",
    { "gateway/src/a.ts": 'import "../../packages/core/src/index.ts";', "packages/core/src/index.ts": "" },
  ],
  [
    "direction-services",
    {
      "services/account/src/a.ts": 'import "../../domain/src/index.ts";',
      "services/domain/src/index.ts": "",
    },
  ],
  ["direction-host", { "host/src/a.ts": 'import "../../tools/a.ts";', "tools/a.ts": "" }],
  ["core-is-pure", { "packages/core/src/money/a.ts": 'import "node:crypto";' }],
  [
    "aggregates-are-islands",
    { "packages/core/src/domain/a.ts": 'import "../account/a.ts";', "packages/core/src/account/a.ts": "" },
  ],
  [
    "shared-core-knows-no-aggregate",
    { "packages/core/src/money/a.ts": 'import "../account/a.ts";', "packages/core/src/account/a.ts": "" },
  ],
  [
    "rpc-is-the-outermost-layer",
    { "services/account/src/reads/a.ts": 'import "../rpc/a.ts";', "services/account/src/rpc/a.ts": "" },
  ],
  [
    "projections-only-project",
    {
      "services/account/src/reads/a.projection.ts": 'import "./a.queries.ts";',
      "services/account/src/reads/a.queries.ts": "",
    },
  ],
];

describe("the dependency rules", () => {
  it.each(breaches)("notice a breach of %s", async (rule, files) => {
    const folder = temporaryDirectory();
    onTestFinished(() => folder.remove());
    const workspace = { "tsconfig.base.json": "{}", ...files };
    for (const [path, text] of Object.entries(workspace)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    }
    const folders = new Set(Object.keys(files).map((path) => path.split("/")[0] ?? ""));
    const { violations } = await cruiseModules(folder.path, [...folders]);
    expect(violations.map((violation) => violation.rule.name)).toContain(rule);
  });

  it("are each proven by a breach", () => {
    const alike = /^direction-(?!runtime|gateway|services|host)|^audit-(?!log)/;
    const rules = dependencyRules.map((rule) => rule.name ?? "").filter((name) => !alike.test(name));
    expect(breaches.map(([rule]) => rule).toSorted()).toEqual(rules.toSorted());
  });
});
