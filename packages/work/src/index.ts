export * from "./call-commands.ts";
export * from "./drift.ts";
export * from "./drift-rounds.ts";
export * from "./drift-tickets.ts";
export * from "./failure-reports.ts";
export * from "./payers.ts";
export {
  answerOf,
  paidOrderDefinition,
  type PaidOrderEffects,
  type ProviderAnswer,
} from "./paid-order-effects.ts";
export type { NextStep, ProcessDefinition, RunContext } from "./process-definition.ts";
export * from "./paid-orders.ts";
export type { RunFigure, RunQueries, RunRow } from "./process-runs.ts";
export { leasePauseMs } from "./resource-holds.ts";
export { attemptInTrace } from "./run-spans.ts";
export { RunOutOfSightError } from "./run-in-hand.ts";
export * from "./staff-runs.ts";
export * from "./tickets-of-work.ts";
export { openWorkEngine } from "./engine/work-engine.ts";
export { failedAttempt, type WorkCounts, type WorkEngine } from "./engine/work-engine.port.ts";
export { pauseAfterFailures } from "./engine/work-failures.ts";
export {
  endOf,
  workKind,
  type AnyWorkKind,
  type Attempt,
  type Attended,
  type DueKey,
  type EffectEnd,
  type EffectHandler,
  type WorkKind,
} from "./engine/work-kind.ts";
