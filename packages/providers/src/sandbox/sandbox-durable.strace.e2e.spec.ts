import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, it } from "vitest";

import { SandboxFixture } from "./open-sandbox.fixture.ts";

const program = fileURLToPath(new URL("keep-ordering.fixture.ts", import.meta.url));
const orders = 30;

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = new SandboxFixture();
});
afterEach(() => {
  fixture.close();
});

/** Orders names one at a time; reports for each answer whether the order was synced to disk before. */
async function answersAfterSync(durable: "durable" | ""): Promise<readonly boolean[]> {
  const traceFile = join(fixture.directory, "trace.txt");
  // Without `-f`, because the sandbox writes on the answering thread, so its calls are in order.
  const strace = ["-y", "-e", "trace=pwrite64,fsync,fdatasync,write", "-o", traceFile];
  const child = [process.execPath, program, fixture.path, "1", String(orders), durable];
  await promisify(execFile)("strace", [...strace, ...child]);
  const answers: boolean[] = [];
  let [isWritten, isSynced] = [false, false];
  for (const line of (await readFile(traceFile, "utf8")).split("\n")) {
    if (/^pwrite64\(\d+<[^>]*-wal>/.test(line)) [isWritten, isSynced] = [true, false];
    if (/^f(data)?sync\(\d+<[^>]*-wal>\) += 0/.test(line)) isSynced = true;
    if (!/^write\(1<[^>]*>, "order-/.test(line)) continue;
    answers.push(isWritten && isSynced);
    [isWritten, isSynced] = [false, false];
  }
  return answers;
}

it("has synced every order before the answer, if it is durable", async () => {
  expect(await answersAfterSync("durable")).toEqual(new Array<boolean>(orders).fill(true));
});

it("has not synced, if it is not durable: synchronous=NORMAL", async () => {
  const answers = await answersAfterSync("");
  expect(answers).toHaveLength(orders);
  expect(answers.filter((isSafe) => isSafe)).toEqual([]);
});
