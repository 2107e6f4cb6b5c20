import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, expect, it } from "vitest";

import { acknowledged, childProgram, startProcess } from "./durable-writers.fixture.ts";

let folder = "";
beforeEach(() => {
  folder = directoryOfTest();
});

/**
 * A system call of one thread in a trace of `strace -f -y`: where it begins and where it returns, on the same or a later
 * line.
 */
const begins = /^(?<thread>\d+) +(?<call>\w+)\(\d+<(?<file>[^>]*)>/;
const resumes = /^(?<thread>\d+) +<\.\.\. (?<call>\w+) resumed>/;

/**
 * Checks, for each answer on standard output, that the write-ahead log was written since the previous answer and fully
 * synced at that moment.
 */
function answersAfterSync(trace: string): readonly boolean[] {
  const answers: boolean[] = [];
  const syncing = new Map<string, number>();
  let written = 0;
  let synced = 0;
  let answered = 0;
  for (const line of trace.split("\n")) {
    const start = begins.exec(line)?.groups;
    const thread = start?.thread ?? resumes.exec(line)?.groups?.thread ?? "";
    const isLog = start?.file?.endsWith("-wal") === true;
    if (isLog && start.call === "pwrite64") written += 1;
    if (isLog && /^f(data)?sync$/.test(start.call ?? "")) syncing.set(thread, written);
    if (start?.call?.startsWith("write") === true && line.includes('"stored ')) {
      answers.push(synced === written && written > answered);
      answered = written;
    }
    const covered = syncing.get(thread);
    if (covered === undefined || line.endsWith("<unfinished ...>")) continue;
    syncing.delete(thread);
    // The sync does not cover writes that happened while it ran.
    if (line.endsWith("= 0")) synced = covered;
  }
  return answers;
}

it("has synced the write-ahead log before it answers, for each append", async () => {
  const traceFile = join(folder, "trace.txt");
  const calls = "trace=pwrite64,fsync,fdatasync,write,writev";
  const strace = ["strace", "-f", "-y", "-s", "64", "-e", calls, "-o", traceFile] as const;
  const child = [process.execPath, childProgram, join(folder, "events.sqlite"), "1", "40"];
  const { lines, code } = await startProcess([...strace, ...child], () => undefined);
  expect(code).toBe(0);
  expect(acknowledged(lines)).toHaveLength(40);
  const trace = await readFile(traceFile, "utf8");
  expect(answersAfterSync(trace)).toEqual(new Array<boolean>(40).fill(true));
});

it("would notice an answer that comes before the sync", () => {
  const write = '7 pwrite64(23</d/e.sqlite-wal>, "x", 1, 0) = 1';
  const sync = "7 fdatasync(23</d/e.sqlite-wal>) = 0";
  const answer = '5 write(1<pipe:[1]>, "stored a 0 b", 12) = 12';
  expect(answersAfterSync([write, sync, answer].join("\n"))).toEqual([true]);
  expect(answersAfterSync([write, answer, sync].join("\n"))).toEqual([false]);
  expect(answersAfterSync([write, sync, answer, answer].join("\n"))).toEqual([true, false]);
  const [unfinished, resumed] = [
    "7 fdatasync(23</d/e.sqlite-wal> <unfinished ...>",
    "7 <... fdatasync resumed>) = 0",
  ];
  expect(answersAfterSync([write, unfinished, answer, resumed].join("\n"))).toEqual([false]);
  expect(answersAfterSync([write, unfinished, resumed, answer].join("\n"))).toEqual([true]);
  expect(answersAfterSync([write, unfinished, write, resumed, answer].join("\n"))).toEqual([false]);
  expect(
    answersAfterSync([write, `${sync.slice(0, -1)}-1 EIO (Input/output error)`, answer].join("\n")),
  ).toEqual([false]);
});
