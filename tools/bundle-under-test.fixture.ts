import { generateSigner, formatEntryBundle, parseEntryBundle } from "@hostledger/audit/log";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, expect } from "vitest";

import { balanceAfter, checkpointOf, movements, put, writeBundle } from "./verify-bundle.fixture.ts";

/** Output of the program. */
export interface Answer {
  readonly status: number | null;
  /** Lines of its output. */
  readonly findings: readonly string[];
  readonly error: string;
}

export const program = join(import.meta.dirname, "verify-bundle");
export const signer = generateSigner("hostledger/test");
export const key = ["--key", signer.verifierKey];
/** The events of the good bundle. */
export const events = movements(600);
/** Output of the program for an undamaged bundle. */
export const right = "ok: 600 events, 1 account, hostledger/test";

/** Runs the program, or a copy of it. */
export function runAs(file: string, ...parameters: readonly string[]): Answer {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...parameters], { encoding: "utf8" });
  // Whatever is handed in, nobody is shown where the program failed.
  expect(stdout + stderr).not.toMatch(/^\s+at |TypeError|RangeError|SyntaxError|undefined/mu);
  return { status, findings: stdout.split("\n").slice(0, -1), error: stderr };
}

/** The findings of one check. */
export const about = (answer: Answer, check: string): readonly string[] =>
  answer.findings.filter((line) => line.startsWith(`${check}: `));

/** A bundle for each test, which it may damage. */
export interface BundleUnderTest {
  /** Directory of the bundle; a test may change it. */
  path: string;
  /** A directory that nobody damages. */
  readonly good: string;
  verify(...parameters: readonly string[]): Answer;
  /** Makes it good again. */
  restore(): void;
  change(path: string, by: (bytes: Buffer) => Uint8Array): void;
  flip(path: string, at: number): void;
  changeEntries(path: string, by: (entries: Uint8Array[]) => readonly Uint8Array[]): void;
  /** Replaces a text, which comes after another one in the file, by one of the same length. */
  replaceAfter(path: string, place: string, before: string, after: string): void;
}

/** Makes a copy of a good bundle before each test of a file. */
export function useBundle(): BundleUnderTest {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "hostledger-verify-bundle-"));
    const good = join(root, "good");
    writeBundle(good, events, [signer]);
    put(good, "checkpoints/300", checkpointOf(events.slice(0, 300), [signer]));
    put(good, "balances.json", JSON.stringify([{ accountId: 7, balanceCents: balanceAfter(600) }]));
  });
  afterAll(() => rmSync(root, { recursive: true }));
  beforeEach(() => {
    bundle.path = mkdtempSync(join(root, "bundle-"));
    bundle.restore();
  });
  const bundle: BundleUnderTest = {
    path: "",
    get good() {
      return join(root, "good");
    },
    verify: (...parameters) => runAs(program, bundle.path, ...key, ...parameters),
    restore: () => cpSync(bundle.good, bundle.path, { recursive: true }),
    change(path, by) {
      const file = join(bundle.path, path);
      writeFileSync(file, by(readFileSync(file)));
    },
    flip(path, at) {
      bundle.change(path, (bytes) => {
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      });
    },
    changeEntries(path, by) {
      bundle.change(path, (bytes) => formatEntryBundle(by([...parseEntryBundle(bytes)])));
    },
    replaceAfter(path, place, before, after) {
      bundle.change(path, (bytes) => {
        const at = bytes.indexOf(before, bytes.indexOf(place));
        expect(at).toBeGreaterThan(0);
        bytes.write(after, at);
        return bytes;
      });
    },
  };
  return bundle;
}
