import { isUtf8 } from "node:buffer";

import { damaged } from "./transfer-file.codec.ts";
import { TransferError } from "./transfer-error.ts";

/** A transfer that can be read more than once: a file. */
export interface TransferSource {
  /** Begins at the first byte. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Bytes of one line at most. An event holds a megabyte of data and metadata, of which JSON makes six at the worst, so a
 * longer line is damage, or a file of something else that has no lines at all.
 */
const lineBytes = 16 * 1_048_576;

const newline = 0x0a;

/**
 * Splits a file into its lines, without their newlines; as many at a time as a read of the file gave.
 *
 * @throws TransferError a line is too long or no UTF-8, or the last one has no newline.
 */
export async function* fileLines(source: TransferSource): AsyncGenerator<readonly string[], void, undefined> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let number = 0;
  for await (const chunk of source.read()) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      number += 1;
      lines.push(textOf([...rest, chunk.subarray(start, end)], number));
      [rest, restBytes] = [[], 0];
      start = end + 1;
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start));
      restBytes += chunk.length - start;
    }
    if (restBytes > lineBytes) throw damaged(number + 1, "it is longer than any line that is written");
    if (lines.length > 0) yield lines;
  }
  if (restBytes > 0) throw cutOff();
}

/** The refusal of a file that ends early. */
export function cutOff(): TransferError {
  return new TransferError(
    "The file is cut off: its last line is missing. Export again, or copy the whole file.",
  );
}

function textOf(parts: readonly Uint8Array[], number: number): string {
  const bytes = Buffer.concat(parts);
  // A decoder would put replacement characters in the place of damage, and so hide it from the checksum.
  if (!isUtf8(bytes)) throw damaged(number, "it is no UTF-8");
  return bytes.toString("utf8");
}
