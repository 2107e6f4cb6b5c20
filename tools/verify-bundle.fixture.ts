import {
  bundledEntry,
  createTileBuilder,
  createTree,
  encodeEntry,
  entriesPath,
  formatBundleNote,
  formatCheckpoint,
  formatEntryBundle,
  leafHash,
  signNote,
  tilePath,
  type LogEvent,
  type NoteSigner,
} from "@hostledger/audit/log";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const time = "2026-11-21T11:03:26.123456Z";
const tileWidth = 256;
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

/** Metadata of every event of ours. */
export const ownMetadata = JSON.stringify({ actor: "account:7", recordedBy: "spec" });

/** An event at a place of the log. */
export function eventAt(
  index: number,
  stream: string,
  revision: number,
  type: string,
  data: object,
): LogEvent {
  const [id, text] = [idOf(index), JSON.stringify(data)];
  return { stream, revision: BigInt(revision), id, type, time, data: text, metadata: ownMetadata };
}

/** The opening of account 7. */
export const opening = eventAt(0, "account-7", 0, "AccountOpened.v1", { accountId: 7 });

/** The opening of account 7 and its movements: credits of 100 cents, charges of 50; each tenth event is an invoice. */
export function movements(count: number): LogEvent[] {
  const events: LogEvent[] = count === 0 ? [] : [opening];
  let balance = 0;
  for (let n = 1; n < count; n += 1) {
    if (n % 10 === 9) {
      const invoice = { action: "purchase", cause: `run-${String(n)}`, grossCents: "50" };
      events.push(
        eventAt(n, "account-7", n, "InvoiceIssued.v2", { ...invoice, number: `2026-7-${String(n)}` }),
      );
      continue;
    }
    const charge = n % 3 === 2;
    balance += charge ? -50 : 100;
    const amount = charge ? { grossCents: "50" } : { amountCents: "100" };
    const type = charge ? "BalanceCharged.v1" : "BalanceCredited.v1";
    events.push(eventAt(n, "account-7", n, type, { ...amount, balanceAfterCents: String(balance) }));
  }
  return events;
}

/** Returns account 7's balance after so many movements, in cents (EUR). */
export function balanceAfter(count: number): string {
  const last = movements(count).findLast(({ data }) => data.includes("balanceAfterCents"));
  return /"balanceAfterCents":"(\d+)"/u.exec(last?.data ?? "")?.[1] ?? "0";
}

/** Writes a file of a bundle. */
export function put(directory: string, path: string, bytes: Uint8Array | string): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

/** A signed checkpoint of the first events. */
export function checkpointOf(
  events: readonly LogEvent[],
  signers: readonly NoteSigner[],
  name?: string,
): string {
  const tree = createTree();
  for (const event of events) tree.append(leafHash(bundledEntry(encodeEntry(event))));
  const origin = name ?? signers[0]?.name ?? "";
  return signNote(formatCheckpoint({ origin, size: tree.size, root: tree.root() }), signers);
}

/** Writes the log of a bundle: entries, tiles, and a checkpoint by all signers; then its key and manifest. */
export function writeBundle(
  directory: string,
  events: readonly LogEvent[],
  signers: readonly NoteSigner[],
): void {
  const builder = createTileBuilder({
    emit: ({ level, index, bytes }) => put(directory, tilePath(level, index), bytes),
  });
  for (let first = 0; first < events.length; first += tileWidth) {
    const entries = events.slice(first, first + tileWidth).map((event, at) => {
      const full = encodeEntry(event);
      const entry = bundledEntry(full);
      if (entry !== full) put(directory, `large/${String(first + at)}`, full);
      builder.append(leafHash(entry));
      return entry;
    });
    put(directory, entriesPath(first / tileWidth, entries.length), formatEntryBundle(entries));
  }
  for (const { level, index, width, bytes } of builder.partials())
    put(directory, tilePath(level, index, width), bytes);
  put(directory, "checkpoint", checkpointOf(events, signers));
  put(directory, "key", signers.map(({ verifierKey }) => `${verifierKey}\n`).join(""));
  seal(directory, events.length, signers);
}

/**
 * Writes the manifest and its signed note. It lists only the README, so that a damaged log is found by the check of
 * the log itself and not by a file's hash.
 */
export function seal(directory: string, size: number, signers: readonly NoteSigner[]): void {
  const origin = signers[0]?.name ?? "";
  const sha256 = (bytes: string): Buffer => createHash("sha256").update(bytes).digest();
  const readme = "A copy of a log.\n";
  put(directory, "README.txt", readme);
  const files = { "README.txt": sha256(readme).toString("hex") };
  const manifest = JSON.stringify({ format: "hostledger-audit-bundle", version: 2, origin, size, files });
  put(directory, "manifest.json", manifest);
  const note = formatBundleNote({ origin, size, manifestHash: sha256(manifest) });
  put(directory, "manifest.note", signNote(note, signers));
}
