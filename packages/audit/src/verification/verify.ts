import { counted } from "@hostledger/core";

import {
  type Checkpoint,
  NoteError,
  type NoteVerifier,
  openNote,
  parseBundleNote,
  sameBytes,
} from "../log/index.ts";
import { BundleError, type LogSource, type Seal } from "./log-source.ts";
import { openCheckpoint, readVerifiers } from "./checkpoints.ts";
import { balancesCheck, type Totals } from "./checks/balances.check.ts";
import { chargesCheck } from "./checks/charges.check.ts";
import { deliveriesCheck, type RunCounts } from "./checks/deliveries.check.ts";
import { documentsCheck, type DocumentTotals } from "./checks/documents.check.ts";
import { revisionsCheck } from "./checks/revisions.check.ts";
import { collectFindings, type Finding, type Findings } from "./finding.ts";
import { logJudge, type LogJudge, type PassedOver } from "./log-judge.ts";
import { readLog } from "./read-log.ts";
import { chargeTable } from "./tables/charge-table.ts";

export interface VerifyOptions {
  /** Verifier keys from a trusted source; default: the log's own. */
  readonly trustedKeys?: readonly string[];
  readonly since?: string;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Verification {
  readonly origin: string;
  readonly size: number;
  /** At most 1,000, in order of discovery. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** False for a bundle of version 1, whose schemas, README and verifier are not signed. */
  readonly isSealed: boolean;
  readonly totals: Readonly<Totals & DocumentTotals>;
  readonly balances: ReadonlyMap<number, bigint>;
  readonly runs: RunCounts;
  /** Events that the books ignore; no findings. */
  readonly passedOver: PassedOver;
}

/**
 * Verifies a log: signature, root recomputed from the events, earlier checkpoints, and the events' content. An event
 * that stops its stream is a finding, and later events of the stream do not count, as in deciders and read models.
 * Memory grows by some bytes per stream, account and charge.
 * @throws BundleError if the log is unreadable, no key verifies it, or `since` belongs to another log.
 */
export function verifyLog(source: LogSource, options: VerifyOptions = {}): Promise<Verification> {
  return verifyBy(logJudge(), source, options);
}

async function verifyBy(judge: LogJudge, source: LogSource, options: VerifyOptions): Promise<Verification> {
  const verifiers = readVerifiers(options.trustedKeys ?? source.verifierKeys);
  const checkpoint = openCheckpoint("The checkpoint", source.note, verifiers);
  const findings = collectFindings();
  judgeManifest(source, checkpoint, findings);
  await judgeSeal(source, checkpoint, verifiers, findings);
  const earlier = openEarlier(source, checkpoint, options, findings);
  const charges = chargeTable();
  const [balances, documents, deliveries] = [balancesCheck(), documentsCheck(), deliveriesCheck(charges)];
  const checks = [revisionsCheck(), balances, chargesCheck(charges), documents, deliveries];
  const { onProgress } = options;
  await readLog(source, { checkpoint, earlier, checks, findings, judge, onProgress });
  const again = judge.again();
  if (again !== undefined) return verifyBy(again, source, options);
  const { stops, passedOver } = judge.end();
  for (const { check, index, place, problem } of stops) findings.at(check, index, place, problem);
  for (const check of checks) check.end(checkpoint.size, findings.later);
  for (const fault of (await source.fileFaults?.()) ?? []) findings.whole("store", fault);
  await compareBalances(source, balances.balances, findings);
  return {
    origin: checkpoint.origin,
    size: checkpoint.size,
    findings: await findings.named(source),
    findingCount: findings.count(),
    isSealed: source.seal?.isListed ?? true,
    totals: { ...balances.totals, ...documents.totals },
    balances: balances.balances,
    runs: deliveries.runs(),
    passedOver,
  };
}

/** Detects a validly signed old checkpoint put in place of the newest, by the size in the manifest. */
function judgeManifest({ manifest }: LogSource, { origin, size }: Checkpoint, findings: Findings): void {
  if (manifest === undefined) return;
  if (manifest.origin !== origin)
    findings.whole("signature", `manifest.json names the log ${manifest.origin}, the checkpoint ${origin}`);
  if (manifest.size > size)
    findings.whole(
      "signature",
      `the checkpoint has ${counted(size, "event")}, manifest.json ${String(manifest.size)}: an old checkpoint stands in place of the newest`,
    );
  else if (manifest.size < size)
    findings.whole(
      "signature",
      `manifest.json has ${counted(manifest.size, "event")}, the checkpoint ${String(size)}: the log's tail was cut off`,
    );
}

/** Opens earlier checkpoints, also with the log's own keys, because checkpoints can only add findings. */
function openEarlier(
  source: LogSource,
  { origin }: Checkpoint,
  { trustedKeys = [], since }: VerifyOptions,
  findings: Findings,
): readonly Checkpoint[] {
  const verifiers = readVerifiers([...new Set([...trustedKeys, ...source.verifierKeys])]);
  const earlier: Checkpoint[] = [];
  for (const note of source.earlierNotes) {
    try {
      const opened = openCheckpoint("an earlier checkpoint", note, verifiers);
      if (opened.origin === origin) earlier.push(opened);
      else findings.whole("consistency", `an earlier checkpoint is of another log: ${opened.origin}`);
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      findings.whole("signature", error.message.replace(/\.$/u, ""));
    }
  }
  if (since === undefined) return earlier;
  const kept = openCheckpoint("The earlier checkpoint", since, verifiers);
  if (kept.origin !== origin)
    throw new BundleError(`The earlier checkpoint is of another log: ${kept.origin}, not ${origin}.`);
  return [...earlier, kept];
}

async function compareBalances(
  { shownBalances }: LogSource,
  balances: ReadonlyMap<number, bigint>,
  findings: Findings,
): Promise<void> {
  if (shownBalances === undefined) return;
  const shown = await shownBalances();
  for (const accountId of new Set([...balances.keys(), ...shown.keys()])) {
    const [reported, found] = [balances.get(accountId), shown.get(accountId)];
    if (reported === found) continue;
    const words = [reported, found].map((cents) =>
      cents === undefined ? "no account" : `${String(cents)} cents`,
    );
    findings.whole(
      "read-model",
      `account ${String(accountId)} has ${words[0] ?? ""} by the events, the read model shows ${words[1] ?? ""}`,
    );
  }
}

/** Compares every file of a bundle with its manifest, and the manifest with the signed note. */
async function judgeSeal(
  { seal }: LogSource,
  { origin, size }: Checkpoint,
  verifiers: readonly NoteVerifier[],
  findings: Findings,
): Promise<void> {
  if (seal === undefined) return;
  const problem = problemOf(seal, { origin, size, verifiers });
  if (problem !== undefined) findings.whole("signature", problem);
  for await (const wrong of seal.wrongFiles()) findings.whole("files", wrong);
}

function problemOf(
  { manifestHash, note, isListed }: Seal,
  log: { readonly origin: string; readonly size: number; readonly verifiers: readonly NoteVerifier[] },
): string | undefined {
  // A note beside a manifest of version 1 means that the file list was removed.
  if (note === undefined)
    return isListed ? "manifest.note is missing: nobody signed manifest.json" : undefined;
  try {
    const signed = parseBundleNote(openNote(note, log.verifiers).text);
    if (signed.origin !== log.origin || signed.size !== log.size)
      return `manifest.note is about ${counted(signed.size, "event")} of ${signed.origin}`;
    return sameBytes(signed.manifestHash, manifestHash)
      ? undefined
      : "manifest.json is not the one that manifest.note signs: it was changed";
  } catch (error) {
    if (error instanceof NoteError)
      return `manifest.note is not signed with a key that verifies it: ${error.message.replace(/\.$/u, "")}`;
    throw error;
  }
}
