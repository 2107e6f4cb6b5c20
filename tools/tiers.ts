import { createHash } from "node:crypto";
import { globSync } from "node:fs";

import { noLoopDisks } from "./loop-disks.ts";
import { mustangJar, noMustang } from "./mustang.ts";
import { noPainSchema, painSchema } from "./pain-schema.ts";

/** A group of tests with the same requirements, selected by the suffix of their file names. */
export interface Tier {
  readonly name: string;
  /** Files that end so belong here, unless the end is a longer one of another tier. */
  readonly suffix: string;
  /** A bound against hanging, never a statement about speed: a machine under load takes ten times as long as an idle one. */
  readonly timeoutSeconds: number;
  /** The folders it looks into; everything without it. */
  readonly roots?: readonly string[];
  /**
   * Patterns of files that this tier runs once more, whatever other tiers they belong to; only `leavesOut` can
   * exclude some.
   */
  readonly again?: readonly string[];
  /** Files there that it leaves out, since another tier runs them. */
  readonly leavesOut?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** True for tests that start no program of ours; for the others it is bundled first. */
  readonly inProcess?: boolean;
  /** True for tests that need a PostgreSQL server. */
  readonly onPostgres?: boolean;
  /** Each file has a worker of its own; else they share some, which import the product once for all of them. */
  readonly ownWorkers?: boolean;
  /** A program of the operating system, or a file's path, that these tests look through; `tools/setup` installs it. */
  readonly program?: string;
  /** Returns why this machine cannot run the tier, whatever is installed; undefined if it can. */
  readonly unfit?: () => string | undefined;
  /** True if it runs with `npm run test:long` and not with `npm test`. */
  readonly isLong?: boolean;
}

const allRoots = ["packages", "services", "gateway", "host", "test", "tools"];

/** Acceptance tests that have no other providers than the simulated ones, or bring their own. */
const acceptanceAtHome: readonly string[] = [
  // EPP cannot list a registrar's names, so half of the planted differences cannot be found.
  "test/acceptance/reconcile.int.spec.ts",
  // These tests start a registry or a cluster with settings of their own.
  "test/acceptance/registrar-by-epp.int.spec.ts",
  "test/acceptance/real-compute.int.spec.ts",
  // These requests are refused before they reach a registrar.
  "test/acceptance/contract-document.int.spec.ts",
  "test/acceptance/bad-input.int.spec.ts",
  "test/acceptance/5-authentication.int.spec.ts",
  // Their customers have incomplete profiles, for which a registry creates no name.
  "test/acceptance/taxes-of-the-union.int.spec.ts",
];

/** Suffix of long tests: `fleet.long.e2e.spec.ts`. */
const longFiles = "*.long.*.spec.ts";

/**
 * The tiers by suffix: `.spec.ts` in process, `.int.spec.ts` on real engines, `.e2e.spec.ts` on real processes, and those
 * that look through a program which not every machine has. `.long` before any of these suffixes says that a test takes its
 * time: it waits in earnest, kills at random, or starts a fleet.
 *
 * What runs once more on other parties is long: the acceptance tests on the event store behind EventStoreDB's protocol, through its
 * client, with names registered over EPP, zones in PowerDNS, and servers on a cluster of Proxmox VE; and the queries of the services
 * (not their crashes: each test makes a database of its own) on PostgreSQL. Each of these parties has its own tests among the others.
 */
export const tiers: readonly Tier[] = [
  { name: "unit", suffix: ".spec.ts", timeoutSeconds: 60, inProcess: true },
  { name: "integration", suffix: ".int.spec.ts", timeoutSeconds: 300 },
  // Services that die in these never end, and would live on in a worker that others use.
  { name: "crashes", suffix: "crash.int.spec.ts", timeoutSeconds: 300, ownWorkers: true },
  // The messages of this client claim the global names of those that we speak by: only one of the two works in a process.
  {
    name: "EventStoreDB's next client",
    suffix: "successor-client.e2e.spec.ts",
    timeoutSeconds: 300,
    ownWorkers: true,
  },
  {
    name: "acceptance over EventStoreDB's protocol",
    suffix: ".int.spec.ts",
    again: [...acceptanceAtHome],
    env: { TEST_EVENT_STORE: "node" },
    timeoutSeconds: 300,
    isLong: true,
  },
  {
    name: "read models on PostgreSQL",
    roots: ["packages/read"],
    suffix: ".int.spec.ts",
    // These tests check one engine, whichever engine the other tests use.
    leavesOut: ["packages/read/src/{postgres,sqlite}/*"],
    env: { TEST_DATABASE: "postgres" },
    onPostgres: true,
    timeoutSeconds: 300,
  },
  { name: "e2e", suffix: ".e2e.spec.ts", timeoutSeconds: 600 },
  { name: "strace", suffix: ".strace.e2e.spec.ts", timeoutSeconds: 600, program: "strace" },
  { name: "chromium", suffix: ".chromium.e2e.spec.ts", timeoutSeconds: 300, program: "chromium" },
  { name: "poppler", suffix: ".poppler.e2e.spec.ts", timeoutSeconds: 300, program: "pdftotext" },
  { name: "ledger", suffix: ".ledger.e2e.spec.ts", timeoutSeconds: 300, program: "ledger" },
  { name: "hledger", suffix: ".hledger.e2e.spec.ts", timeoutSeconds: 300, program: "hledger" },
  { name: "beancount", suffix: ".beancount.e2e.spec.ts", timeoutSeconds: 300, program: "bean-check" },
  { name: "promtool", suffix: ".promtool.e2e.spec.ts", timeoutSeconds: 300, program: "promtool" },
  { name: "haproxy", suffix: ".haproxy.e2e.spec.ts", timeoutSeconds: 300, program: "haproxy" },
  {
    name: "Net::EPP",
    suffix: ".perl.e2e.spec.ts",
    timeoutSeconds: 300,
    program: "/usr/share/perl5/Net/EPP/Simple.pm",
  },
  {
    name: "xmllint",
    suffix: ".xmllint.e2e.spec.ts",
    env: { TEST_PAIN_SCHEMA: painSchema },
    timeoutSeconds: 300,
    program: "xmllint",
    unfit: noPainSchema,
  },
  { name: "pdns", suffix: ".pdns.e2e.spec.ts", timeoutSeconds: 300, program: "pdns_server" },
  {
    name: "lego",
    suffix: ".lego.e2e.spec.ts",
    // The certificate is for a name that a registry has by EPP.
    env: { TEST_PROVIDERS: "epp" },
    timeoutSeconds: 300,
    program: "lego",
  },
  { name: "long", suffix: ".spec.ts", timeoutSeconds: 1_800, ownWorkers: true, isLong: true },
  {
    name: "acceptance over EventStoreDB's protocol, EPP, PowerDNS and Proxmox VE",
    suffix: ".int.spec.ts",
    again: ["test/acceptance/*.int.spec.ts"],
    // The requests of the last file are refused before they reach a store.
    leavesOut: [...acceptanceAtHome, "test/acceptance/contract-refusals.int.spec.ts"],
    env: { TEST_EVENT_STORE: "node", TEST_PROVIDERS: "all" },
    timeoutSeconds: 600,
    program: "pdns_server",
    isLong: true,
  },
  {
    name: "services on PostgreSQL",
    suffix: ".int.spec.ts",
    again: ["services/*/src/{notices,reads,rpc}/*.int.spec.ts"],
    // These tests store nothing.
    leavesOut: ["services/support/src/notices/{mail-check,webhook-sender}.int.spec.ts"],
    env: { TEST_DATABASE: "postgres" },
    onPostgres: true,
    timeoutSeconds: 300,
    isLong: true,
  },
  {
    name: "an instance on PostgreSQL",
    suffix: ".int.spec.ts",
    // Searches, lists and erasures by staff, each of which reads several read models.
    again: ["test/acceptance/{commands-twice,erase-account,lists,staff-account,staff-invoices}.int.spec.ts"],
    env: { TEST_DATABASE: "postgres" },
    onPostgres: true,
    timeoutSeconds: 300,
    isLong: true,
  },
  {
    name: "paid orders over EPP",
    suffix: ".int.spec.ts",
    again: [
      // Paid orders with broken connections or dying processes.
      "test/e2e/late-orders.int.spec.ts",
      "test/e2e/crash-points.e2e.spec.ts",
    ],
    env: { TEST_PROVIDERS: "epp" },
    timeoutSeconds: 600,
    isLong: true,
  },
  {
    name: "xfs",
    suffix: ".long.xfs.e2e.spec.ts",
    timeoutSeconds: 1_800,
    program: "mkfs.xfs",
    unfit: noLoopDisks,
    isLong: true,
  },
  {
    name: "Mustang",
    suffix: ".long.mustang.e2e.spec.ts",
    env: { TEST_MUSTANG: mustangJar },
    timeoutSeconds: 600,
    program: mustangJar,
    unfit: noMustang,
    isLong: true,
  },
];

/** Files that take minutes on an idle machine, the longest first. They mostly wait. */
export const longestFiles: readonly string[] = [
  "test/e2e/decade.long.int.spec.ts",
  "test/e2e/crash-points-killed.long.e2e.spec.ts",
  "test/e2e/fleet-deaths.long.e2e.spec.ts",
  "test/e2e/money-out-killed.long.e2e.spec.ts",
  "test/e2e/power-cut.long.xfs.e2e.spec.ts",
  "test/e2e/audit-bundle.long.e2e.spec.ts",
  "test/e2e/crash-points.e2e.spec.ts",
  "test/e2e/interrupted-requests.e2e.spec.ts",
  "test/e2e/audit-bundle.e2e.spec.ts",
  "test/e2e/start.e2e.spec.ts",
  "test/e2e/certificates.lego.e2e.spec.ts",
];

/**
 * Puts those files first that take longest, so that no run ends with one of them alone on the machine.
 *
 * @param pathOf a file's absolute path.
 */
export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File): number => {
    const place = longestFiles.findIndex((longest) => pathOf(file).endsWith(`/${longest}`));
    return place === -1 ? longestFiles.length : place;
  };
  return files.toSorted((one, other) => rank(one) - rank(other));
}

/**
 * Puts files in an order that says nothing of them, the same on every machine: those that wait would wait all at once where they
 * stand together, as the longest do, or those of a folder.
 *
 * @param pathOf a file's path from the top of the repository.
 */
export function mixed<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File): string => createHash("sha256").update(pathOf(file)).digest("hex");
  return files.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** The tiers that are asked for, all of them if none is: `unit;integration`. @throws Error there is no such tier. */
export function tiersNamed(names: string | undefined): readonly Tier[] {
  if (names === undefined) return tiers;
  return names.split(";").map((name) => {
    const tier = tiers.find((one) => one.name === name);
    if (tier === undefined) throw new Error(`There is no tier "${name}" (tools/tiers.ts).`);
    return tier;
  });
}

/** Tiers that run in the same workers, which import the product once for all of them. */
export interface WorkerGroup {
  readonly name: string;
  /** At least one tier. */
  readonly tiers: readonly Tier[];
}

/** Groups tiers by environment and worker sharing, which must agree within a group. */
export function workerGroupsOf(wanted: readonly Tier[]): readonly WorkerGroup[] {
  const alike = Map.groupBy(wanted, ({ env, onPostgres, ownWorkers }) =>
    JSON.stringify([env, onPostgres, ownWorkers]),
  );
  return [...alike.values()].map((together) => ({
    name: `${together[0]?.name ?? ""}${together.length > 1 ? " and others" : ""}`,
    tiers: together,
  }));
}

/** Files of a tier's tests. */
export interface TierFiles {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The glob patterns of a tier's files, from the top of the repository. */
export function filesOf({
  suffix,
  roots = allRoots,
  again,
  leavesOut = [],
  isLong = false,
}: Tier): TierFiles {
  if (again !== undefined) return { include: again, exclude: [`**/${longFiles}`, ...leavesOut] };
  const others = tiers
    .map((tier) => tier.suffix)
    .filter((other) => other !== suffix && other.endsWith(suffix));
  if (isLong) {
    const ofItsOwn = others.filter((other) => other.startsWith(".long."));
    const ends = suffix.startsWith(".long.") ? `*${suffix}` : longFiles;
    return {
      include: roots.map((folder) => `${folder}/**/${ends}`),
      exclude: ofItsOwn.map((other) => `**/*${other}`),
    };
  }
  return {
    include: roots.map((folder) => `${folder}/**/*${suffix}`),
    exclude: [`**/${longFiles}`, ...leavesOut, ...[...new Set(others)].map((other) => `**/*${other}`)],
  };
}

/** The files of a tier that are there, from the top of the repository. */
export function specsOf(tier: Tier, root: string): string[] {
  const { include, exclude } = filesOf(tier);
  return globSync(include, { cwd: root, exclude: ["**/node_modules/**", ...exclude] });
}
