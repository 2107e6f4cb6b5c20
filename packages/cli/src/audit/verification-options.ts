import { parseVerifierKey } from "@hostledger/audit/log";
import { BundleError } from "@hostledger/audit/verification";
import { InvalidArgumentError } from "commander";
import { open } from "node:fs/promises";
import { fileReason } from "../error-code.ts";
import { CommandFailure, refused } from "../exit-code.ts";

/** Maximum bytes of a checkpoint file; real checkpoints have a few hundred. */
const checkpointMaximumBytes = 65_536;

/** Adds a verifier key to the earlier keys. @throws InvalidArgumentError for a malformed key */
export function parseKey(text: string, before: readonly string[] = []): readonly string[] {
  const key = text.trim();
  try {
    parseVerifierKey(key);
  } catch {
    throw new InvalidArgumentError("It must be a verifier key, as shown by `hostledger audit key`.");
  }
  return [...before, key];
}

/** Reads a signed checkpoint from a file. @throws CommandFailure (1) */
export async function readCheckpointFile(path: string): Promise<string> {
  const bytes = await readLimited(path, checkpointMaximumBytes, "checkpoint");
  return bytes.toString("utf8");
}

/** Reads a file of a limited size. @param what its name in errors @throws CommandFailure (1) */
export async function readLimited(path: string, maximumBytes: number, what: string): Promise<Buffer> {
  try {
    await using file = await open(path, "r");
    const buffer = Buffer.alloc(maximumBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = (await file.read(buffer, length, buffer.length - length)).bytesRead;
    if (length > maximumBytes) throw refused(`${path} is no ${what}: it is too large for one.`);
    return buffer.subarray(0, length);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw refused(`${path} could not be read: ${fileReason(error)}.`, error);
  }
}

/** Converts errors of a log, bundle or key to the command's refusal. */
export async function refusingBundleErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof BundleError ? refused(error.message, error) : error;
  }
}
