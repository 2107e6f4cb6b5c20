import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const roots = ["packages", "services", "gateway", "test", "tools"];
const testsIn = (folders: readonly string[], suffix: string): string[] =>
  folders.map((folder) => `${folder}/**/*${suffix}`);
const tests = (suffix: string): string[] => testsIn(roots, suffix);

interface Tier {
  readonly name: string;
  readonly suffix: string;
  /** Longer suffixes that end alike and belong to other tiers. */
  readonly without?: readonly string[];
  /** A bound against hanging, never a statement about speed. */
  readonly timeoutSeconds: number;
  readonly roots?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** True for tests that need a PostgreSQL server. */
  readonly onPostgres?: boolean;
}

/** Suffixes of the tests that load a journal into a program that keeps books. */
const books = [".ledger.e2e.spec.ts", ".hledger.e2e.spec.ts", ".beancount.e2e.spec.ts"];

/** Suffixes of the tests that need a program which not every machine has. */
const outside = [".strace.e2e.spec.ts", ".chromium.e2e.spec.ts", ".poppler.e2e.spec.ts", ...books];

const project = ({
  name,
  suffix,
  without = [],
  timeoutSeconds,
  roots: folders = roots,
  env = {},
  onPostgres = false,
}: Tier): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    env: { ...env },
    globalSetup: onPostgres ? ["tools/postgres.global-setup.ts"] : [],
    include: testsIn(folders, suffix),
    exclude: [...configDefaults.exclude, ...without.flatMap(tests)],
    testTimeout: timeoutSeconds * 1_000,
    hookTimeout: timeoutSeconds * 1_000,
  },
});

/**
 * The tiers by suffix: `.spec.ts` in process, `.int.spec.ts` on real engines, `.e2e.spec.ts` on real processes, and
 * `.strace.e2e.spec.ts` and `.chromium.e2e.spec.ts` on real processes seen through strace and Chromium, tiers of their
 * own since not every machine has those. The acceptance tests run a second time on the event store behind EventStoreDB's
 * protocol, through its client.
 */
export default defineConfig({
  test: {
    pool: "forks",
    // Two even on two cores: the e2e tests mostly wait, for a registrar that is silent or a process that starts.
    maxWorkers: "100%",
    projects: [
      { name: "unit", suffix: ".spec.ts", without: [".int.spec.ts", ".e2e.spec.ts"], timeoutSeconds: 20 },
      { name: "integration", suffix: ".int.spec.ts", timeoutSeconds: 60 },
      {
        name: "acceptance over EventStoreDB's protocol",
        roots: ["test/acceptance"],
        suffix: ".int.spec.ts",
        env: { TEST_EVENT_STORE: "node" },
        timeoutSeconds: 60,
      },
      {
        name: "read models on PostgreSQL",
        // The queries of the services, and not their crashes: each test makes a database of its own.
        roots: ["packages/projections", "services/*/src/{queries,reads,rpc}"],
        suffix: ".int.spec.ts",
        env: { TEST_DATABASE: "postgres" },
        onPostgres: true,
        timeoutSeconds: 60,
      },
      { name: "e2e", suffix: ".e2e.spec.ts", without: outside, timeoutSeconds: 300 },
      { name: "strace", suffix: ".strace.e2e.spec.ts", timeoutSeconds: 300 },
      { name: "chromium", suffix: ".chromium.e2e.spec.ts", timeoutSeconds: 120 },
      { name: "poppler", suffix: ".poppler.e2e.spec.ts", timeoutSeconds: 60 },
      { name: "ledger", suffix: ".ledger.e2e.spec.ts", timeoutSeconds: 60 },
      { name: "hledger", suffix: ".hledger.e2e.spec.ts", timeoutSeconds: 60 },
      { name: "beancount", suffix: ".beancount.e2e.spec.ts", timeoutSeconds: 60 },
    ].map(project),
  },
});
