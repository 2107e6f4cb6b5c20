/** Reports from events, for people and for accounting: pure functions of their arguments. */

export { bareType, originOf, type Event } from "./event.ts";
export type { Report } from "./report.ts";
export { nextMicrosecond, parseInstant, type DayEdge } from "./instant.ts";
export { balanceAsOf, statementOf, type Movement, type Statement } from "./statement.ts";
export { explainInvoice, type ExplanationOutcome } from "./explanation/explain-invoice.ts";
export { stepKinds, type StepKind } from "./explanation/steps.ts";
export { sentenceOf } from "./timeline/sentence-of.ts";
export { groupedEuros, plainLine } from "./render/text.ts";
export { statementCsv, statementDocument, statementText } from "./render/statement.ts";
export { datevCharts, DatevError, datevMostPostings, type DatevSettings } from "./journal/datev-format.ts";
export {
  journalFormats,
  journalTypesOf,
  writeJournal,
  type JournalFormat,
  type JournalOptions,
} from "./journal/write-journal.ts";
export {
  vatReport,
  vatReportCsv,
  vatReportDocument,
  vatReportText,
  vatReportTypes,
  type VatReport,
} from "./vat-report.ts";
export { explanationText, timelineLine } from "./timeline/timeline.ts";
