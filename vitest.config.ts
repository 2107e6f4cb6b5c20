import { availableParallelism } from "node:os";
import { join, relative } from "node:path";

import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { prepareTestEnvironment } from "./tools/test-environment.ts";
import { filesOf, longestFirst, mixed, tiers, type Tier } from "./tools/tiers.ts";

prepareTestEnvironment(process.env, join(import.meta.dirname, "node_modules/.cache/node-compile"));

function projectOf(tier: Tier): TestProjectInlineConfiguration {
  const { include, exclude } = filesOf(tier);
  return {
    extends: true,
    test: {
      name: tier.name,
      env: { ...tier.env },
      globalSetup: [
        ...(tier.inProcess === true ? [] : ["tools/programs.global-setup.ts"]),
        ...(tier.onPostgres === true ? ["tools/postgres.global-setup.ts"] : []),
      ],
      include: [...include],
      exclude: [...configDefaults.exclude, ...exclude],
      isolate: tier.ownWorkers === true,
      testTimeout: tier.timeoutSeconds * 1_000,
      hookTimeout: tier.timeoutSeconds * 1_000,
    },
  };
}

/** A project after the other, as vitest has it, but for the files that take longest; the others of each are mixed. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    const pathOf = ({ moduleId }: TestSpecification): string => relative(import.meta.dirname, moduleId);
    const others = [...byProject.values()].flatMap((ofOne) => mixed(ofOne, pathOf));
    return longestFirst(others, ({ moduleId }) => moduleId);
  }
}

export default defineConfig({
  test: {
    pool: "forks",
    // More than cores: a worker waits half of the time, for a process that starts, another thread, or a party that is silent.
    maxWorkers: availableParallelism() + 4,
    // Node runs the tests as it runs the product. Vite's own runner would look up every imported name anew at each use.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // A bound against hanging like the others: the default of a second would be a statement about speed.
    expect: { poll: { timeout: 20_000 } },
    projects: tiers.map(projectOf),
  },
});
