#!/usr/bin/env node
import { every } from "@hostledger/runtime";

import { run } from "../cli.ts";
import { endProcess, processIo } from "../io.ts";
import { nothing } from "./fake-system.ts";

/** Runs `hostledger` with a system that does nothing. IDLE_CLOSE decides whether closing ever returns. */
const close = every(60_000, () => undefined);
const startParts = () =>
  Promise.resolve({
    baseUrl: "http://127.0.0.1:1/api/v1",
    adminUrl: "http://127.0.0.1:2",
    rpcUrl: "http://127.0.0.1:3",
    openDemo: () => Promise.resolve(undefined),
    close: () =>
      process.env.IDLE_CLOSE === "never" ? new Promise<void>(() => undefined) : Promise.resolve(),
  });
const exitCode = await run(process.argv.slice(2), processIo(), {
  loadSystem: () => Promise.resolve({ ...nothing, startParts }),
});
close();
await endProcess(exitCode);
