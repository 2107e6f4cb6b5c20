/** Reports from events, for people and for accounting: pure functions of their arguments. */

export { bareType, originOf, type Fact, type Facts, type OnUnreadable, type Origin } from "./fact.ts";
export type { Report } from "./report.ts";
export { nextMicrosecond, parseInstant, type DayEdge } from "./instant.ts";
export type { AccountMovement } from "./account-history.ts";
export {
  balanceAsOf,
  statementOf,
  type BalanceAsOf,
  type Movement,
  type Statement,
  type StatementRequest,
} from "./statement.ts";
export {
  explainInvoice,
  type Explanation,
  type ExplanationOutcome,
  type ExplanationRequest,
} from "./explanation/explain-invoice.ts";
export { stepKinds, type ExplanationStep, type StepKind } from "./explanation/steps.ts";
export { sentenceOf } from "./timeline/sentence-of.ts";
export { columns, groupedEuros, plainLine } from "./render/text.ts";
export { csvRow, ownCell, textCell } from "./render/csv.ts";
export { statementCsv } from "./render/statement.ts";
export { statementDocument, type MovementDocument, type StatementDocument } from "./render/statement.ts";
export { statementText } from "./render/statement.ts";
export { DatevError, type DatevSettings } from "./journal/datev.ts";
export {
  journalFormats,
  journalTypes,
  writeJournal,
  type JournalFormat,
  type JournalOptions,
} from "./journal/write-journal.ts";
export { explanationText, timelineLine } from "./timeline/timeline.ts";
