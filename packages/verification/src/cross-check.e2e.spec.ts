import { generateSigner } from "@hostledger/transparency";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BundleError, findingLine, readBundle, verifyLog, writeBundle } from "./index.ts";
import { mutations, numbers } from "./mutations.fixture.ts";
import { noteOf, rightLog } from "./right-log.fixture.ts";

const plainVerifier = fileURLToPath(new URL("../../../tools/verify-bundle", import.meta.url));
const signer = generateSigner("hostledger/test");
const log = rightLog(120);
const older = noteOf(log.slice(0, 300), signer);
let place = "";
let right = "";

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "cross-check-"));
  right = join(place, "right");
  await writeBundle(right, {
    note: noteOf(log, signer),
    verifierKeys: [signer.verifierKey],
    earlierNotes: [older],
    events: (async function* () {
      yield await Promise.resolve(log);
    })(),
    balances: new Map([[7, 24_000n]]),
    schemas: new Map(),
    createdAt: "2026-03-01T10:00:00Z",
    program: "spec",
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

/** What the verifier of its own says, which shares no code with this package. */
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
