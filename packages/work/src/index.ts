export * from "./call-commands.ts";
export * from "./drift.ts";
export * from "./drift-rounds.ts";
export * from "./drift-tickets.ts";
export * from "./effects.ts";
export * from "./failure-reports.ts";
export * from "./payers.ts";
export * from "./managed-process.ts";
export {
  answerOf,
  paidOrderDefinition,
  type PaidOrderEffects,
  type ProviderAnswer,
} from "./paid-order-effects.ts";
export type { NextStep, ProcessDefinition, RunContext } from "./process-definition.ts";
export * from "./paid-orders.ts";
export * from "./process-manager.ts";
export type { RunFigure, RunQueries, RunRow } from "./process-runs.ts";
export { createReconciler, type Pursuit, type PursuitOptions, type Reconciler } from "./reconciler.ts";
export { leasePauseMs, type Hold } from "./resource-holds.ts";
export * from "./run-supervisor.ts";
export * from "./staff-runs.ts";
export { failedAttempt, openWorkEngine, type WorkCounts, type WorkEngine } from "./engine/work-engine.ts";
export {
  endOf,
  workKind,
  type AnyWorkKind,
  type Attended,
  type EffectEnd,
  type EffectHandler,
  type WorkKind,
} from "./engine/work-kind.ts";
