import type { IForbiddenRuleType } from "dependency-cruiser";

/**
 * Rules of dependency-cruiser about imports. The tables fulfil the promise of docs and README ("imports go one
 * way"); the test reports packages that are in no table.
 */

/** Packages, and the packages of ours that each may import. */
export const packageImports: Readonly<Record<string, readonly string[]>> = {
  audit: ["core", "runtime"],
  core: [],
  protocol: [],
  runtime: [],
  store: ["core", "runtime"],
  esdb: ["store", "runtime"],
  work: ["core", "store", "read", "protocol", "runtime", "rpc"],
  read: ["core", "store", "runtime"],
  providers: ["core", "runtime"],
  rpc: ["core", "protocol", "runtime"],
  cli: ["audit", "core", "protocol", "rpc", "runtime"],
};

/** Allowed imports of the gateway, which translates and has no business rule. */
const gatewayImports = ["audit/src/documents", "protocol", "rpc", "runtime"];

/**
 * Folders of core that every aggregate may use. Any other folder is an aggregate, and an island. Tax rules and the seller belong to
 * these: each document freezes both (ADR 0186).
 */
const sharedCore = ["kernel", "money", "calendar", "pricing", "tax", "seller"];

const ours = "^(packages|services|gateway|host|test|tools)/";
const tests = "\\.(spec|fixture|contract)\\.ts$|/(testing|contract)/";
/**
 * A package's own door, those of a heavy or light part that few need, and those that its tests and contract suites have.
 * Worker threads enter runtime and core by the light ones: every start of a store waits for one, and the first PDF for another.
 */
const doors =
  "/src/(index|(log|verification|reports|documents)/index|leases/index|personal-data/index|process-runs|engine/work\\.table|certificates|error-code|sqlite-code|node/index|bank/index|epp/server/index|configuration/index|money/money|async/(index|event-loop|lru)|postgres/index|testing/(index|listen|postgres-server)|contract/[^/]+\\.contract)\\.ts$";
const oneOf = (names: readonly string[]): string => `(${names.join("|")})`;

function packageRule([name, imports]: readonly [string, readonly string[]]): IForbiddenRuleType {
  // The command line starts everything in one process, so it alone may know the host.
  const allowed = [`^packages/${oneOf([name, ...imports])}/`, ...(name === "cli" ? ["^host/"] : [])];
  return {
    name: `direction-${name}`,
    comment: `packages/${name} imports ${imports.length === 0 ? "nothing of ours" : imports.join(", ")}.`,
    severity: "error",
    from: { path: `^packages/${name}/` },
    to: { path: ours, pathNot: allowed },
  };
}

const directions: readonly IForbiddenRuleType[] = [
  ...Object.entries(packageImports).map(packageRule),
  {
    name: "direction-gateway",
    comment: "The gateway speaks Connect only.",
    severity: "error",
    from: { path: "^gateway/" },
    to: { path: ours, pathNot: ["^gateway/", `^packages/${oneOf(gatewayImports)}/`] },
  },
  {
    name: "direction-services",
    comment:
      "Services decide on the event store and hear each other's events; the command line and the edge are above them.",
    severity: "error",
    from: { path: "^services/([^/]+)/" },
    to: { path: ours, pathNot: ["^services/$1/", "^packages/(?!cli/)"] },
  },
  {
    name: "direction-host",
    comment: "The host puts services and gateway together; nothing but the command line is above it.",
    severity: "error",
    from: { path: "^host/" },
    to: { path: "^(packages/cli|test|tools)/" },
  },
];

const core: readonly IForbiddenRuleType[] = [
  {
    name: "core-is-pure",
    comment:
      "Core computes: nothing of Node, and no library but zod (shapes), immutable (persistent maps), tr46 (IDNA), jsvat and ibantools (check digits of VAT ids and IBANs).",
    severity: "error",
    from: { path: "^packages/core/src/", pathNot: tests },
    to: { pathNot: ["^packages/core/", "node_modules/(zod|ibantools|immutable|jsvat|tr46)/"] },
  },
  {
    name: "aggregates-are-islands",
    comment: "An aggregate knows itself and the shared vocabulary; what concerns two of them is a process.",
    severity: "error",
    from: {
      path: "^packages/core/src/([^/]+)/",
      pathNot: [
        `^packages/core/src/${oneOf([...sharedCore, "processes", "desired", "work", "testing"])}/`,
        tests,
      ],
    },
    to: { path: "^packages/core/src/", pathNot: `^packages/core/src/${oneOf(["$1", ...sharedCore])}/` },
  },
  {
    name: "shared-core-knows-no-aggregate",
    comment: "Kernel, money, calendar, pricing, tax and seller are what aggregates build on.",
    severity: "error",
    from: { path: `^packages/core/src/${oneOf(sharedCore)}/`, pathNot: tests },
    to: { path: "^packages/core/src/", pathNot: `^packages/core/src/${oneOf(sharedCore)}/` },
  },
];

const insideServices: readonly IForbiddenRuleType[] = [
  {
    name: "rpc-is-the-outermost-layer",
    comment: "Reads, effects and processes do not know how they are reached.",
    severity: "error",
    from: { path: "^services/[^/]+/src/(reads|effects)/", pathNot: tests },
    to: { path: "^services/[^/]+/src/(rpc/|service\\.ts$)" },
  },
  {
    name: "projections-only-project",
    comment: "A projection turns events into rows; it asks nobody and starts nothing.",
    severity: "error",
    from: { path: "^services/[^/]+/src/reads/.*\\.projection\\.ts$", pathNot: tests },
    to: {
      path: "^services/[^/]+/src/(effects/|reads/.*\\.queries\\.ts$)|^packages/(providers|rpc)/|^packages/work/src/(?!process-runs\\.ts$|engine/work\\.table\\.ts$)",
    },
  },
];

/** Folders of packages/audit, and the folders that each may import. An auditor's own program needs `log` alone. */
const auditFolders = { log: [], verification: ["log"], reports: [], documents: ["reports"] };
const insideAudit: readonly IForbiddenRuleType[] = Object.entries(auditFolders).map(([name, imports]) => ({
  name: `audit-${name}`,
  comment: `packages/audit/src/${name} imports ${imports.length === 0 ? "no other folder" : imports.join(", ")} of the package.`,
  severity: "error",
  from: { path: `^packages/audit/src/${name}/`, pathNot: tests },
  to: { path: "^packages/audit/src/", pathNot: `^packages/audit/src/${oneOf([name, ...imports])}/` },
}));

const everywhere: readonly IForbiddenRuleType[] = [
  {
    name: "no-cycles",
    comment: "Two modules that need each other are one.",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "front-door-only",
    comment: "Another package is entered through its src/index.ts; tests have doors of their own.",
    severity: "error",
    from: { path: "^((?:packages|services)/[^/]+|gateway)/" },
    to: { path: "^((packages|services)/[^/]+|gateway)/", pathNot: ["^$1/", doors] },
  },
  {
    name: "front-door-only-for-tests",
    comment: "Acceptance tests and tools enter packages as everybody else does.",
    severity: "error",
    from: { path: "^(test|tools)/" },
    to: { path: "^(packages|services|gateway)/", pathNot: doors },
  },
  {
    name: "everything-resolves",
    comment:
      "An import that does not resolve hides an edge from every other rule (an `exports` map that says no, too).",
    severity: "error",
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: "tests-stay-out-of-the-product",
    comment: "What is shipped imports no spec, fixture, contract or test tool.",
    severity: "error",
    from: { path: "^(packages|services|gateway)/", pathNot: tests },
    to: { path: `^(packages|services|gateway)/.*(${tests})|node_modules/(vitest|fast-check)/` },
  },
];

export const dependencyRules: readonly IForbiddenRuleType[] = [
  ...everywhere,
  ...directions,
  ...core,
  ...insideServices,
  ...insideAudit,
];
