import { defineConfig } from "vitest/config";

const tests = (suffix: string): string[] =>
  ["packages", "services", "gateway", "test", "tools"].map((root) => `${root}/**/*${suffix}`);

/** Three tiers by suffix: `.spec.ts` in process, `.int.spec.ts` on real engines, `.e2e.spec.ts` on real processes. */
export default defineConfig({
  test: {
    pool: "forks",
    projects: [
      {
        extends: true,
        test: { name: "unit", include: tests(".spec.ts"), exclude: ["**/node_modules/**", ...tests(".int.spec.ts"), ...tests(".e2e.spec.ts")] },
      },
      { extends: true, test: { name: "integration", include: tests(".int.spec.ts"), exclude: ["**/node_modules/**"], testTimeout: 60_000, hookTimeout: 60_000 } },
      { extends: true, test: { name: "e2e", include: tests(".e2e.spec.ts"), exclude: ["**/node_modules/**"], testTimeout: 300_000, hookTimeout: 120_000 } },
    ],
  },
});
