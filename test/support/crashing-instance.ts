import { flushCompileCache } from "node:module";

import { endProcess, processIo, run } from "@hostledger/cli";
import * as system from "@hostledger/host";

import { crashDecorators, readCrashPlan } from "./crash-points.ts";

/** `hostledger` with its own command line, except that `start` dies at the moment that the environment names. */
const plan = readCrashPlan(process.env);
const decorate = crashDecorators(plan);
// Writes Node's compile cache now, because a killed process cannot write it at its end.
if (plan.crashAt === 0) flushCompileCache();
const code = await run(process.argv.slice(2), processIo(), {
  loadSystem: () =>
    Promise.resolve({
      ...system,
      startParts: (parts, options) => system.startParts(parts, { ...options, decorate }),
    }),
});
await endProcess(code);
