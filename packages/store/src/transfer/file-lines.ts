import { isUtf8 } from "node:buffer";

import { damaged } from "./transfer-file.codec.ts";
import { TransferError } from "./transfer-error.ts";

/** A transfer that can be read more than once, such as a file. */
export interface TransferSource {
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Maximum bytes of one line. An event has at most a megabyte of data and metadata, which JSON may expand sixfold. A
 * longer line means damage or another file format.
 */
const lineBytes = 16 * 1_048_576;

const newline = 0x0a;

/**
 * Splits a file into lines without their newlines, in batches as read from the file.
 * @throws TransferError a line is too long or no UTF-8, or the last line has no newline.
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

export function cutOff(): TransferError {
  return new TransferError(
    "The file is cut off: its last line is missing. Export again, or copy the whole file.",
  );
}

function textOf(parts: readonly Uint8Array[], number: number): string {
  const bytes = Buffer.concat(parts);
  // A decoder would replace damaged bytes and so hide the damage from the checksum.
  if (!isUtf8(bytes)) throw damaged(number, "it is no UTF-8");
  return bytes.toString("utf8");
}
