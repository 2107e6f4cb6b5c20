#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Caches compiled modules between starts, which halves the start time. Affects only later imports, so the program is
// imported afterwards.
enableCompileCache();
const { run } = await import("./cli.ts");
const { endProcess, processIo, tolerateClosedPipe } = await import("./io.ts");

// Files of this program are readable by its user only, because they contain keys and customer data.
process.umask(0o077);
tolerateClosedPipe(process.stdout);
await endProcess(await run(process.argv.slice(2), processIo()));
