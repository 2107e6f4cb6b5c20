#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// What Node has compiled once is read back at the next start, which halves the time of every command. It applies to
// what is loaded from here on, so the program itself comes after it.
enableCompileCache();
const { run } = await import("./cli.ts");
const { endProcess, processIo, tolerateClosedPipe } = await import("./io.ts");

// Whatever this program writes is for its own user only: keys, balances, customers.
process.umask(0o077);
tolerateClosedPipe(process.stdout);
await endProcess(await run(process.argv.slice(2), processIo()));
