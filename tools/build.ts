/**
 * `pnpm build` creates `dist/` for images and plain machines. The folder needs only Node 26, and `npm pack` makes a
 * package of it. A checkout needs no build, because Node runs the sources.
 */
import { join } from "node:path";

import { buildPackage } from "./build-package.ts";

await buildPackage(join(import.meta.dirname, "../dist"));
