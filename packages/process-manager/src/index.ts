export * from "./process-manager.ts";
export type { NextStep, RunContext, RunnableProcess } from "./runnable-process.ts";
