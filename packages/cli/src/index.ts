export { run, type Parts } from "./cli.ts";
export { exitCodes } from "./exit-code.ts";
export { processIo, type Environment, type Io, type ShutdownSignal } from "./io.ts";
export { endProcess } from "./process-end.ts";
