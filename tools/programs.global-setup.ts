import { join } from "node:path";

import { programSources } from "../test/support/programs.ts";
import { bundle } from "./bundle.ts";

/**
 * Bundles the programs that tests start, before the first start: they start hundreds of times, which bundling makes
 * twice as fast. The folder stays, with the compiled code that Node caches.
 */
export default async function setup(): Promise<void> {
  if (process.env.TEST_PROGRAMS !== undefined) return;
  const folder = join(import.meta.dirname, "../node_modules/.cache/programs");
  await bundle(programSources, folder);
  process.env.TEST_PROGRAMS = folder;
}
