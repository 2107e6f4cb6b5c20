import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const roots = ["packages", "services", "gateway", "test", "tools"];
const tests = (suffix: string): string[] => roots.map((root) => `${root}/**/*${suffix}`);

interface Tier {
  readonly name: string;
  readonly suffix: string;
  /** Longer suffixes that end alike and belong to other tiers. */
  readonly without?: readonly string[];
  /** A bound against hanging, never a statement about speed. */
  readonly timeoutSeconds: number;
}

/** Suffixes of the tests that need a program which not every machine has. */
const outside = [".strace.e2e.spec.ts", ".chromium.e2e.spec.ts"];

const project = ({ name, suffix, without = [], timeoutSeconds }: Tier): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: tests(suffix),
    exclude: [...configDefaults.exclude, ...without.flatMap(tests)],
    testTimeout: timeoutSeconds * 1_000,
    hookTimeout: timeoutSeconds * 1_000,
  },
});

/**
 * The tiers by suffix: `.spec.ts` in process, `.int.spec.ts` on real engines, `.e2e.spec.ts` on real processes, and
 * `.strace.e2e.spec.ts` and `.chromium.e2e.spec.ts` on real processes seen through strace and Chromium, tiers of their
 * own since not every machine has those.
 */
export default defineConfig({
  test: {
    pool: "forks",
    // Two even on two cores: the e2e tests mostly wait, for a registrar that is silent or a process that starts.
    maxWorkers: "100%",
    projects: [
      { name: "unit", suffix: ".spec.ts", without: [".int.spec.ts", ".e2e.spec.ts"], timeoutSeconds: 20 },
      { name: "integration", suffix: ".int.spec.ts", timeoutSeconds: 60 },
      { name: "e2e", suffix: ".e2e.spec.ts", without: outside, timeoutSeconds: 300 },
      { name: "strace", suffix: ".strace.e2e.spec.ts", timeoutSeconds: 300 },
      { name: "chromium", suffix: ".chromium.e2e.spec.ts", timeoutSeconds: 120 },
    ].map(project),
  },
});
