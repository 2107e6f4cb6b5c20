/**
 * `pnpm build`: what an image and a plain machine run, in `dist/`. The folder needs nothing beside itself but Node 26, and
 * `npm pack` makes a package of it. A checkout needs none: there Node runs the sources.
 */
import { join } from "node:path";

import { buildPackage } from "./build-package.ts";

await buildPackage(join(import.meta.dirname, "../dist"));
