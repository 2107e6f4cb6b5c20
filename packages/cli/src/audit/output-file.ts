import { closeSync, openSync, realpathSync, statSync, writeSync } from "node:fs";
import { join, parse } from "node:path";

import { growFile, type GrowingFile } from "@hostledger/runtime";
import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import { errorCodeOf, fileReason } from "../error-code.ts";
import { refused } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** Destination of a command's answer. */
export interface Sink {
  readonly write: (bytes: Uint8Array) => void;
  /** Begins another file beside the first: `batch.csv`, then `batch-2.csv`. Absent on standard output. */
  readonly nextFile?: () => void;
}

export function addOutputOption(command: Command): Command {
  return command.option("--output <file>", "write to this file, which only its owner may read", parseText);
}

/** Writes an answer to standard output, or atomically to a file and those beside it. @throws CommandFailure (1) */
export async function writeAnswer(
  io: Io,
  file: string | undefined,
  run: (sink: Sink) => Promise<void>,
): Promise<void> {
  if (file === undefined) {
    await run({ write: io.outBytes });
    return;
  }
  const guarded = <Result>(act: () => Result): Result => {
    try {
      return act();
    } catch (error) {
      const reason = errorCodeOf(error) === "ENOENT" ? "its directory does not exist" : fileReason(error);
      throw refused(`${file} could not be written: ${reason}.`, error);
    }
  };
  let output = guarded(() => openOutput(file));
  const outputs = [output];
  try {
    await run({
      write: (bytes) => {
        for (let done = 0; done < bytes.length;)
          done += guarded(() => writeSync(output.descriptor, bytes, done, bytes.length - done));
      },
      nextFile: () => {
        output = guarded(() => openOutput(numbered(file, outputs.length + 1)));
        outputs.push(output);
      },
    });
  } catch (error) {
    for (const each of outputs) each.discard();
    throw error;
  }
  guarded(() => {
    for (const each of outputs) each.settle();
  });
}

/** Puts a number before the extension. */
function numbered(file: string, number: number): string {
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}-${String(number)}${ext}`);
}

/** Opens the output. Pipes and devices are written directly; for a symbolic link, its target is replaced. */
function openOutput(file: string): GrowingFile {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile())
    return growFile(found === undefined ? file : realpathSync(file), 0o600);
  const descriptor = openSync(file, "w");
  const end = (): void => {
    closeSync(descriptor);
  };
  return { descriptor, settle: end, discard: end };
}
