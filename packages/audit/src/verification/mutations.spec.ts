import { generateSigner, type LogEvent } from "../log/index.ts";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundleError, findingLine, readBundle, verifyLog, writeBundle, type VerifyOptions } from "./index.ts";
import { mutations, numbers } from "./mutations.fixture.ts";
import { bundleSigner, noteOf, rightLog } from "./right-log.fixture.ts";

const signer = generateSigner("hostledger/test");
const log = rightLog(120);
const older = noteOf(log.slice(0, 300), signer);
let place = "";
let right = "";

async function* inPieces(events: readonly LogEvent[]): AsyncGenerator<readonly LogEvent[]> {
  for (let at = 0; at < events.length; at += 100) yield await Promise.resolve(events.slice(at, at + 100));
}

const write = (
  directory: string,
  events: readonly LogEvent[],
  by = signer,
  earlierNotes: readonly string[] = [],
) =>
  writeBundle(directory, {
    note: noteOf(events, by),
    verifierKeys: [by.verifierKey],
    earlierNotes,
    events: inPieces(events),
    schemas: new Map(),
    sign: bundleSigner(by, events.length),
    createdAt: "2026-03-01T10:00:00Z",
    program: "spec",
  });

/** Returns verification's findings, or its error, one per line. */
async function verdict(directory: string, options: VerifyOptions = {}): Promise<readonly string[]> {
  try {
    const trusted = { trustedKeys: [signer.verifierKey], ...options };
    return (await verifyLog(await readBundle(directory), trusted)).findings.map(findingLine);
  } catch (error) {
    if (error instanceof BundleError) return [error.message];
    throw error;
  }
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "verification-"));
  right = join(place, "right");
  await write(right, log, signer, [older]);
});
afterAll(() => rm(place, { recursive: true }));

describe("a bundle", () => {
  it("verifies when nothing is wrong with it", async () => {
    expect(await verdict(right, { since: older })).toEqual([]);
  });

  it("is found out after each of 130 mutations, and a finding names the event or the file", async () => {
    const names = Object.keys(mutations);
    for (let seed = 0; seed < 130; seed += 1) {
      const name = names[seed % names.length] ?? "";
      const copy = join(place, `copy-${String(seed)}`);
      await cp(right, copy, { recursive: true });
      const target = { directory: copy, size: log.length, older, pick: numbers(seed * 7_919 + 1) };
      const wanted = await mutations[name]?.(target);
      const lines = await verdict(copy);
      expect(
        lines.some((line) => wanted?.test(line)),
        `${name}, seed ${String(seed)}, wanted ${String(wanted)}: ${lines.slice(0, 3).join(" / ")}`,
      ).toBe(true);
      await rm(copy, { recursive: true });
    }
  });

  it("that was rewritten and signed again is detected by an earlier checkpoint", async () => {
    const copy = join(place, "rewritten");
    const rewritten = log.map((event, index) =>
      index === 40 ? { ...event, time: "2026-03-01T09:00:00.000000Z" } : event,
    );
    await write(copy, rewritten);
    expect(await verdict(copy)).toEqual([]);
    expect(await verdict(copy, { since: older })).toEqual([
      "consistency: the first 300 events are not those of an earlier checkpoint",
    ]);
  });

  it("that was cut and signed again is detected by an earlier checkpoint", async () => {
    const copy = join(place, "cut");
    await write(copy, log.slice(0, 206));
    expect(await verdict(copy, { since: older })).toEqual([expect.stringContaining("tail was cut off")]);
  });

  it.each([
    [
      "a wrong key",
      { trustedKeys: [generateSigner("hostledger/test").verifierKey] },
      "not signed with a key",
    ],
    ["no key", { trustedKeys: ["nonsense"] }, "is no verifier key."],
    ["a checkpoint of another log", { since: noteOf(log, signer, "another") }, "is of another log: another"],
  ])("is refused with one sentence for %s", async (_name, options, sentence) => {
    expect(await verdict(right, options)).toEqual([expect.stringContaining(sentence)]);
  });

  it("of a newer version, and a missing one, are refused with one sentence", async () => {
    const copy = join(place, "newer");
    await cp(right, copy, { recursive: true });
    const manifest = await readFile(join(copy, "manifest.json"), "utf8");
    await writeFile(join(copy, "manifest.json"), manifest.replace('"version": 2', '"version": 3'));
    expect(await verdict(copy)).toEqual([expect.stringContaining("Use a newer Hostledger.")]);
    expect(await verdict(join(place, "nowhere"))).toEqual([expect.stringContaining("There is no bundle at")]);
  });
});
