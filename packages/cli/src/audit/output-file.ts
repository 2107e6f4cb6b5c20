import { closeSync, openSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import { messageOf } from "../error-code.ts";
import { refused } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** Where a command's answer goes, piece by piece. */
export interface Sink {
  readonly write: (bytes: Uint8Array) => void;
}

/** Gives a command the option that names a file for its answer. */
export function addOutputOption(command: Command): Command {
  return command.option("--output <file>", "write to this file, which only its owner may read", parseText);
}

/**
 * Runs what writes an answer, to standard output or to the file that was named.
 * @throws CommandFailure (1) when the file cannot be written.
 */
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
      throw refused(`${file} could not be written: ${messageOf(error)}.`, error);
    }
  };
  const descriptor = guarded(() => openSync(file, "w", 0o600));
  try {
    await run({
      write: (bytes) => {
        for (let done = 0; done < bytes.length;)
          done += guarded(() => writeSync(descriptor, bytes, done, bytes.length - done));
      },
    });
  } finally {
    closeSync(descriptor);
  }
}
