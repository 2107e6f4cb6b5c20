import { availableParallelism } from "node:os";
import { join, relative } from "node:path";

import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { prepareTestEnvironment } from "./tools/test-environment.ts";
import { longestFirst, mixed, specsOf, tiersNamed, workerGroupsOf, type WorkerGroup } from "./tools/tiers.ts";

prepareTestEnvironment(process.env, join(import.meta.dirname, "node_modules/.cache/node-compile"));

function projectOf({ name, tiers }: WorkerGroup): TestProjectInlineConfiguration {
  const [{ env, ownWorkers } = {}] = tiers;
  const timeout = Math.max(...tiers.map(({ timeoutSeconds }) => timeoutSeconds)) * 1_000;
  return {
    extends: true,
    test: {
      name,
      env: { ...env },
      globalSetup: [
        ...(tiers.every(({ inProcess }) => inProcess) ? [] : ["tools/programs.global-setup.ts"]),
        ...(tiers.some(({ onPostgres }) => onPostgres) ? ["tools/postgres.global-setup.ts"] : []),
      ],
      include: tiers.flatMap((tier) => specsOf(tier, import.meta.dirname)),
      isolate: ownWorkers === true,
      testTimeout: timeout,
      hookTimeout: timeout,
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
    projects: workerGroupsOf(tiersNamed(process.env.TEST_TIERS)).map(projectOf),
  },
});
