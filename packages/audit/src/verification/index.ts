/** Verifies the audit log: bundles and other sources of its events in order. */
export { BundleError } from "./log-source.ts";
export { readBundle, type Bundle } from "./bundle/read-bundle.ts";
export { damageOf, type BundledEvent } from "./bundle/bundled-event.ts";
export { writeBundle, type BundleContents } from "./bundle/write-bundle.ts";
export { type Manifest } from "./bundle/manifest.ts";
export { type Balances, type Totals } from "./checks/balances.check.ts";
export { type DocumentTotals } from "./checks/documents.check.ts";
export { type RunCounts } from "./checks/deliveries.check.ts";
export { eventPlace, findingLine, type CheckName, type Finding } from "./finding.ts";
export { type ComputedTile, type LogSource, type SourceEntry } from "./log-source.ts";
export { passedOverLines, type PassedOver } from "./log-judge.ts";
export { reconcile, reconciler, type Reconciler } from "./reconcile/reconcile.ts";
export {
  differenceLine,
  type Difference,
  type ReconciledCharges,
  type ReconciledSides,
  type ReconciledSums,
  type Reconciliation,
  type UnfinishedCharge,
} from "./reconcile/reconciliation.ts";
export { verifyLog, type Verification, type VerifyOptions } from "./verify.ts";
