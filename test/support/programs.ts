import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** What tests start in processes of their own: files from the top of the repository. */
export const programSources = {
  hostledger: "packages/cli/src/main.ts",
  crashingInstance: "test/support/crashing-instance.ts",
} as const;

/** The file of a program, for Node: what an image would run where the run of the tests has built it, else its source. */
export function programFile(name: keyof typeof programSources): string {
  const built = process.env.TEST_PROGRAMS;
  return built === undefined ? join(root, programSources[name]) : join(built, `${name}.mjs`);
}

/** The command line, for Node. */
export const commandLine = programFile("hostledger");
