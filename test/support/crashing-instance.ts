import { flushCompileCache } from "node:module";

import { endProcess, processIo, run } from "@hostledger/cli";
import * as system from "@hostledger/host";

import { crashDecorators, readCrashPlan } from "./crash-points.ts";

/** `hostledger` with its own command line, except that `start` dies at the moment that the environment names. */
const plan = readCrashPlan(process.env);
const decorate = crashDecorators(plan);
// Node would keep what it has compiled when the process ends, but a killed one never comes to that.
if (plan.crashAt === 0) flushCompileCache();
const code = await run(process.argv.slice(2), processIo(), {
  loadSystem: () =>
    Promise.resolve({
      ...system,
      startParts: (parts, options) => system.startParts(parts, { ...options, decorate }),
    }),
});
await endProcess(code);
