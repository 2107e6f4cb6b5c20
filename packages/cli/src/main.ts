#!/usr/bin/env node
import { run } from "./cli.ts";
import { processIo } from "./io.ts";
import { endProcess, tolerateClosedPipe } from "./process-end.ts";

// Whatever this program writes is for its own user only: keys, balances, customers.
process.umask(0o077);
tolerateClosedPipe(process.stdout);
await endProcess(await run(process.argv.slice(2), processIo()));
