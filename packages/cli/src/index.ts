export { run, type Parts } from "./cli.ts";
export { exitCodes } from "./exit-code.ts";
export { endProcess, processIo, type Environment, type Io, type ShutdownSignal } from "./io.ts";
