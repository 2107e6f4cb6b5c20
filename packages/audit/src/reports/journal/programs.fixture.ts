import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Event } from "../event.ts";
import { textOf } from "../books.fixture.ts";
import { writeJournal, type JournalOptions } from "./write-journal.ts";

/** Writes the journal to a temporary file and deletes it after `use`. */
export async function withJournal<Result>(
  events: readonly Event[],
  options: JournalOptions,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-journal-"));
  try {
    const file = join(folder, "journal");
    writeFileSync(file, await textOf(writeJournal(events, options)));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a program's output; fails if the exit code is not 0. */
export async function printed(program: string, ...line: string[]): Promise<string> {
  // Journals are UTF-8, but hledger uses the locale's encoding, which a minimal machine lacks.
  const env = { ...process.env, LC_ALL: "C.UTF-8" };
  const { stdout } = await promisify(execFile)(program, line, { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Reads amounts by account from lines such as `"Assets:Bank","10.00 EUR"`. */
export function balancesIn(csv: string): ReadonlyMap<string, string> {
  const rows = csv.matchAll(/^"?([A-Z][\w:-]+)"?\s*,\s*"?(-?[\d.]+)(?: EUR)?"?\s*$/gmu);
  return new Map([...rows].map(([, name = "", amount = ""]) => [name, amount]));
}
