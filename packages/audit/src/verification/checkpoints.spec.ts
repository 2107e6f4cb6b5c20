import {
  bundledEntry,
  createTileBuilder,
  encodeEntry,
  formatCheckpoint,
  generateSigner,
  leafHash,
  signNote,
  tilePath,
  type LogEvent,
} from "../log/index.ts";
import { describe, expect, it } from "vitest";
import { findingLine, verifyLog, type LogSource } from "./index.ts";
import { ownMetadata, noteOf, rightEvents, rightLog } from "./right-log.fixture.ts";

/** Metadata of an event of ours caused by another account. */
const otherMetadata = ownMetadata.replace("account:7", "account:8");

const [first, second] = [generateSigner("hostledger/test"), generateSigner("hostledger/test")];
const log = rightLog(20);

function sourceOf(events: readonly LogEvent[], part: Partial<LogSource> = {}): LogSource {
  return {
    note: noteOf(events, second),
    verifierKeys: [second.verifierKey, first.verifierKey],
    earlierNotes: [],
    tile: undefined,
    shownBalances: undefined,
    async *entries(from, end) {
      for (let at = from; at < end; at += 256)
        yield await Promise.resolve(
          events
            .slice(at, Math.min(at + 256, end))
            .map((event) => ({ bundled: bundledEntry(encodeEntry(event)), event, problem: undefined })),
        );
    },
    ...part,
  };
}

const trusted = { trustedKeys: [second.verifierKey] };
const linesOf = async (source: LogSource, since?: string): Promise<readonly string[]> =>
  (await verifyLog(source, since === undefined ? trusted : { ...trusted, since })).findings.map(findingLine);

describe("an earlier checkpoint", () => {
  it("of the key before its rotation still counts", async () => {
    const old = noteOf(log.slice(0, 30), first);
    expect(await linesOf(sourceOf(log, { earlierNotes: [old] }), old)).toEqual([]);
    const forged = log.map((event, at) => (at === 10 ? { ...event, metadata: otherMetadata } : event));
    expect(await linesOf(sourceOf(forged, { earlierNotes: [old] }))).toEqual([
      "consistency: the first 30 events are not those of an earlier checkpoint",
    ]);
  });

  it("shows up to which size the log is still the signed one", async () => {
    const earlierNotes = [30, 60].map((size) => noteOf(log.slice(0, size), second));
    const forged = log.map((event, at) => (at === 40 ? { ...event, metadata: otherMetadata } : event));
    expect(await linesOf(sourceOf(forged, { earlierNotes }))).toEqual([
      expect.stringMatching(/^consistency: the first 60 .*; the first 30 are those of another one$/u),
    ]);
  });

  it("by an unknown signer, or of another log, is a finding if it came with the log", async () => {
    const stranger = noteOf(log.slice(0, 30), generateSigner("hostledger/test"));
    const another = noteOf(log.slice(0, 30), second, "another");
    expect(await linesOf(sourceOf(log, { earlierNotes: [stranger, another] }))).toEqual([
      expect.stringMatching(/^signature: an earlier checkpoint is not signed/u),
      "consistency: an earlier checkpoint is of another log: another",
    ]);
  });

  it("of no event, of the whole log, and of a size that was signed twice, all count", async () => {
    const earlierNotes = [0, 0, log.length, 30, 30].map((size) => noteOf(log.slice(0, size), second));
    expect(await linesOf(sourceOf(log, { earlierNotes }))).toEqual([]);
  });
});

describe("the manifest", () => {
  it.each([
    [log.length + 9, /an old checkpoint stands in place of the newest$/u],
    [log.length - 1, /the log's tail was cut off$/u],
  ])("that has %i events is compared with the checkpoint", async (size, finding) => {
    const manifest = { origin: "hostledger/test", size };
    expect(await linesOf(sourceOf(log, { manifest }))).toEqual([expect.stringMatching(finding)]);
  });

  it("belongs to the same log", async () => {
    const manifest = { origin: "another", size: log.length };
    expect(await linesOf(sourceOf(log, { manifest }))).toEqual([
      "signature: manifest.json names the log another, the checkpoint hostledger/test",
    ]);
  });
});

it("names the events below a changed hash of a tile of any level, and hashes long logs on a thread", async () => {
  const tiles = new Map<string, Uint8Array>();
  const builder = createTileBuilder({
    emit: ({ level, index, width, bytes }) => void tiles.set(tilePath(level, index, width), bytes),
  });
  const events = [...rightEvents({ registrations: 12_700 })];
  const entries = events.map((event) => ({ bundled: encodeEntry(event), event, problem: undefined }));
  for (const { bundled } of entries) builder.append(leafHash(bundled));
  for (const { level, index, width, bytes } of builder.partials())
    tiles.set(tilePath(level, index, width), bytes);
  for (const path of ["tile/0/003", "tile/1/000", "tile/2/000.p/1"]) {
    const bytes = tiles.get(path);
    expect(bytes, path).toBeDefined();
    bytes?.set([(bytes[5] ?? 0) ^ 1], 5);
  }
  const root = new Uint8Array(32);
  const source = sourceOf(events, {
    note: signNote(formatCheckpoint({ origin: second.name, size: events.length, root }), [second]),
    tile: (level, index, width) =>
      Promise.resolve(tiles.get(tilePath(level, index, width)) ?? new Uint8Array()),
    async *entries(from, end) {
      for (let at = from; at < end; at += 1_000)
        yield await Promise.resolve(entries.slice(at, Math.min(at + 1_000, end)));
    },
  });
  expect(await linesOf(source)).toEqual([
    expect.stringMatching(
      /^tiles: event 768 account-7@\d+ .* has another hash in the log's tiles \(tile\/0\/003\)$/u,
    ),
    "tiles: tile/1/000 has another hash 0 than its events 0 to 255 make",
    "tiles: tile/2/000.p/1 has another hash 0 than its events 0 to 65535 make",
    "root: the events are not those that the checkpoint signs",
  ]);
});
