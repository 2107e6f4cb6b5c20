/** `pnpm build`: what an image runs, in `dist/`. A checkout needs none: there Node runs the sources. */
import { join } from "node:path";

import { bundle, programs } from "./bundle.ts";

await bundle(programs, join(import.meta.dirname, "../dist"));
