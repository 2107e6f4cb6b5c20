import { generateSigner, type LogEvent } from "../log/index.ts";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountCodec } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { BundleError, findingLine, readBundle, verifyLog, writeBundle } from "./index.ts";
import { mutations, numbers } from "./mutations.fixture.ts";
import { bundleSigner, noteOf, ownMetadata, rightLog, time } from "./right-log.fixture.ts";

const plainVerifier = fileURLToPath(new URL("../../../../tools/verify-bundle", import.meta.url));
const signer = generateSigner("hostledger/test");
const log = rightLog(120);
const older = noteOf(log.slice(0, 300), signer);
let place = "";
let right = "";

/** Content of every bundle in these tests besides the events. */
const contents = {
  verifierKeys: [signer.verifierKey],
  balances: new Map([[7, 24_000n]]),
  schemas: new Map([["BalanceCharged.v1.json", '{"type":"object"}\n']]),
  createdAt: "2026-03-01T10:00:00Z",
  program: "spec",
};

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "cross-check-"));
  right = join(place, "right");
  await writeBundle(right, {
    ...contents,
    note: noteOf(log, signer),
    earlierNotes: [older],
    events: (async function* () {
      yield await Promise.resolve(log);
    })(),
    verifier: await readFile(plainVerifier, "utf8"),
    sign: bundleSigner(signer, log.length),
  });
});
afterAll(() => rm(place, { recursive: true }));

interface Verdict {
  readonly isRight: boolean;
  readonly text: string;
}

async function ours(directory: string): Promise<Verdict> {
  try {
    const { findings } = await verifyLog(await readBundle(directory), { trustedKeys: [signer.verifierKey] });
    return { isRight: findings.length === 0, text: findings.map(findingLine).join("\n") };
  } catch (error) {
    if (error instanceof BundleError) return { isRight: false, text: error.message };
    throw error;
  }
}

/** Runs the stand-alone verifier, which shares no code with this package. */
function plain(directory: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const args = [plainVerifier, directory, "--key", signer.verifierKey];
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ isRight: error === null, text: `${stdout}${stderr}` });
    });
  });
}

it("both verifiers find nothing wrong with a right bundle", async () => {
  expect(await ours(right)).toEqual({ isRight: true, text: "" });
  expect(await plain(right)).toEqual({
    isRight: true,
    text: expect.stringContaining("ok: 627 events") as string,
  });
});

it.each(Object.keys(mutations))("both verifiers find %s, and name the event or the file", async (name) => {
  const copy = join(place, name.replaceAll(" ", "-"));
  await cp(right, copy, { recursive: true });
  const target = { directory: copy, size: log.length, older, pick: numbers(4_711) };
  const wanted = (await mutations[name]?.(target)) ?? /^$/u;
  const verdicts = [await ours(copy), await plain(copy)];
  expect(verdicts.map(({ isRight }) => isRight)).toEqual([false, false]);
  for (const { text } of verdicts)
    expect(text).toMatch(name === "an old checkpoint" ? /checkpoint/u : wanted);
});

it("both verifiers find a flipped byte in every file, and a missing file", async () => {
  const entries = await readdir(right, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const names = paths.map((path) => path.slice(right.length + 1)).toSorted();
  expect(names).toEqual(
    expect.arrayContaining([
      "README.txt",
      "balances.json",
      "checkpoint",
      "checkpoints/300",
      "key",
      "manifest.json",
      "manifest.note",
      "schemas/BalanceCharged.v1.json",
      "tile/0/000",
      "verify-bundle.mjs",
    ]),
  );
  for (const [seed, name] of names.entries()) {
    const copy = join(place, "flipped");
    await cp(right, copy, { recursive: true });
    const bytes = await readFile(join(copy, name));
    const at = numbers(seed + 1)(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(join(copy, name), bytes);
    for (const verdict of await Promise.all([ours(copy), plain(copy)]))
      expect({ name, at, ...verdict }).toMatchObject({ isRight: false });
    await rm(join(copy, name));
    for (const verdict of await Promise.all([ours(copy), plain(copy)])) {
      expect({ name, ...verdict }).toMatchObject({ isRight: false });
      expect(verdict.text).toContain(name);
    }
    await rm(copy, { recursive: true });
  }
});

it("both find a removed file list, and one that was changed to deceive the auditor", async () => {
  const manifest: unknown = JSON.parse(await readFile(join(right, "manifest.json"), "utf8"));
  const fields = Object.entries(typeof manifest === "object" && manifest !== null ? manifest : {});
  const changed = (changes: object) => JSON.stringify({ ...Object.fromEntries(fields), ...changes });
  const elsewhere = { "../../etc/hosts": "0".repeat(64) };
  for (const text of [changed({ version: 1 }), changed({ files: {} }), changed({ files: elsewhere })]) {
    const copy = join(place, "relisted");
    await cp(right, copy, { recursive: true });
    await writeFile(join(copy, "manifest.json"), text);
    for (const verdict of await Promise.all([ours(copy), plain(copy)])) {
      expect(verdict.isRight).toBe(false);
      expect(verdict.text).toMatch(/manifest/u);
    }
    await rm(copy, { recursive: true });
  }
});

describe("an event that contradicts its account", () => {
  const account = log.filter(({ stream }) => stream === "account-7");
  const { opened, credited, charged, refunded, granted } = accountExamples;
  const examples = [opened(), ...credited(), ...charged(), ...refunded(), ...granted()];
  const revoked = { keyId: 99, keyHash: "0".repeat(64), revokedAt: time };
  const repeated = [
    ...account.filter(({ type }, at) => account.findIndex((other) => other.type === type) === at),
    ...examples.map(({ type, data }) => ({
      type: accountCodec.storedType(type),
      data: JSON.stringify(data),
    })),
    { type: "ApiKeyRevoked.v1", data: JSON.stringify(revoked) },
    { type: "VatExemptionChanged.v1", data: JSON.stringify({ vatExempt: true, changedAt: time }) },
  ];

  /** Returns an event after the end of the right log, in the account's stream or in the stream of staff's decisions. */
  const behind = (stream: string, revision: number, type: string, data: string): LogEvent => ({
    stream,
    revision: BigInt(revision),
    id: `00000000-0000-4000-9000-${String(revision).padStart(12, "0")}`,
    type,
    time,
    data,
    metadata: ownMetadata,
  });

  const verdicts = async (events: readonly LogEvent[]): Promise<readonly Verdict[]> => {
    const directory = await mkdtemp(join(place, "contradicting-"));
    await writeBundle(join(directory, "bundle"), {
      ...contents,
      note: noteOf(events, signer),
      events: (async function* () {
        yield await Promise.resolve(events);
      })(),
      sign: bundleSigner(signer, events.length),
    });
    return [await ours(join(directory, "bundle")), await plain(join(directory, "bundle"))];
  };

  it("is named by both verifiers, and by neither after staff mended it", async () => {
    let contradictions = 0;
    for (const { type, data } of repeated) {
      const again = behind("account-7", account.length, type, data);
      const unmended = await verdicts([...log, again]);
      const place = `account-7@${String(account.length)} (${type})`;
      const stops = unmended.map(({ text }) => text.includes("streams: ") && text.includes(place));
      expect({ type, stops }).toEqual({ type, stops: [stops[0], stops[0]] });
      if (stops[0] !== true) continue;
      contradictions += 1;
      const answer = {
        stream: "account-7",
        revision: account.length,
        eventId: again.id,
        eventType: type,
        reason: "A script.",
        mendedAt: time,
      };
      const answered = behind("mending-account-7", 0, "StreamMended.v1", JSON.stringify(answer));
      const mended = await verdicts([...log, again, answered]);
      expect({ type, right: mended.map(({ isRight }) => isRight) }).toEqual({ type, right: [true, true] });
    }
    expect(contradictions).toBeGreaterThan(3);
  });
});
