import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Programs that tests start in processes of their own: files from the top of the repository. */
export const programSources = {
  hostledger: "packages/cli/src/main.ts",
  crashingInstance: "test/support/crashing-instance.ts",
} as const;

/** Returns a program's file for Node: the bundle if one was built for this run, otherwise the source. */
export function programFile(name: keyof typeof programSources): string {
  const built = process.env.TEST_PROGRAMS;
  return built === undefined ? programSource(name) : join(built, `${name}.mjs`);
}

/** Returns a program's source for Node, for profiles, which identify functions by their files. */
export function programSource(name: keyof typeof programSources): string {
  return join(root, programSources[name]);
}

/** The command line, for Node. */
export const commandLine = programFile("hostledger");
