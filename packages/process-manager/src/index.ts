export * from "./effects.ts";
export * from "./managed-process.ts";
export * from "./process-manager.ts";
export {
  createReconciler,
  leasePauseMs,
  type Hold,
  type Pursuit,
  type PursuitOptions,
  type Reconciler,
} from "./reconciler.ts";
export * from "./run-keeper.ts";
export type { NextStep, RunContext, RunnableProcess } from "./runnable-process.ts";
export { stepOf, type Hands } from "./step-of.ts";
