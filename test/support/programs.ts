import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** What tests start in processes of their own: files from the top of the repository. */
export const programSources = {
  hostledger: "packages/cli/src/main.ts",
  crashingInstance: "test/support/crashing-instance.ts",
} as const;

/** The file of a program, for Node: what an image would run where it was built for this run, else its source. */
export function programFile(name: keyof typeof programSources): string {
  const built = process.env.TEST_PROGRAMS;
  return built === undefined ? programSource(name) : join(built, `${name}.mjs`);
}

/** The source of a program, for Node: for profiles, which tell functions apart by their files. */
export function programSource(name: keyof typeof programSources): string {
  return join(root, programSources[name]);
}

/** The command line, for Node. */
export const commandLine = programFile("hostledger");
