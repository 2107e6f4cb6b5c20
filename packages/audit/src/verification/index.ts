/** Verifies the audit log: bundles and other sources of its events in order. */
export { BundleError, type LogSource, type SourceEntry } from "./log-source.ts";
export { readBundle } from "./bundle/read-bundle.ts";
export { damageOf, type BundledEvent } from "./bundle/bundled-event.ts";
export { writeBundle, type BundleContents } from "./bundle/write-bundle.ts";
export {
  DocumentProofError,
  maximumProofBytes,
  verifyDocument,
  type VerifiedDocument,
} from "./document-proof.ts";
export { eventPlace, findingLine } from "./finding.ts";
export { passedOverLines, type PassedOver } from "./log-judge.ts";
export type { BankTexts } from "./reconcile/judge-bank-texts.ts";
export { type ProviderMovement, type ProviderView } from "./reconcile/provider-view.ts";
export { type OtherSides, reconcile, reconciler } from "./reconcile/reconcile.ts";
export { differenceLine, type Reconciliation, type UnfinishedCharge } from "./reconcile/reconciliation.ts";
export { verifyLog, type Verification, type VerifyOptions } from "./verify.ts";
