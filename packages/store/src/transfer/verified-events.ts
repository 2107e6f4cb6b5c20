import { createHash } from "node:crypto";

import { InvalidAppendError } from "../event-store.port.ts";
import { validateAppend } from "../validate-append.ts";
import { cutOff, fileLines, type TransferSource } from "./file-lines.ts";
import { LogOrder } from "./log-order.ts";
import { TransferError } from "./transfer-error.ts";
import {
  damaged,
  isTrailer,
  readEvent,
  readHeader,
  trailerLine,
  type TransferEvent,
  type TransferSummary,
} from "./transfer-file.codec.ts";

/**
 * Reads the events of a file in batches and checks everything: format, version, order, the rules of every store, and at
 * the end the counts and the checksum. The file is verified only after the iteration has ended normally.
 * @returns summary of the file.
 * @throws TransferError in one sentence: foreign, newer, damaged or cut off.
 */
export async function* verifiedEvents(
  source: TransferSource,
): AsyncGenerator<readonly TransferEvent[], TransferSummary, undefined> {
  const reader = new FileReader();
  for await (const lines of fileLines(source)) {
    const events: TransferEvent[] = [];
    for (const line of lines) reader.take(line, events);
    if (events.length > 0) yield events;
  }
  return reader.summary();
}

class FileReader {
  readonly #hash = createHash("sha256");
  readonly #order = new LogOrder();
  #lines = 0;
  #summary: TransferSummary | undefined;

  take(line: string, events: TransferEvent[]): void {
    this.#lines += 1;
    if (this.#summary !== undefined) throw damaged(this.#lines, "it comes after the last one");
    if (this.#lines === 1) readHeader(line);
    else if (isTrailer(line)) {
      this.#end(line);
      return;
    } else events.push(this.#event(line));
    this.#hash.update(line).update("\n");
  }

  /** @throws TransferError the last line is missing. */
  summary(): TransferSummary {
    if (this.#summary === undefined) throw cutOff();
    return this.#summary;
  }

  #event(line: string): TransferEvent {
    const event = readEvent(line, this.#lines);
    const broken = this.#order.brokenBy(event);
    if (broken !== undefined) throw damaged(this.#lines, broken);
    try {
      validateAppend(event.stream, "any", [event]);
    } catch (error) {
      if (error instanceof InvalidAppendError) throw damaged(this.#lines, error.message);
      throw error;
    }
    return event;
  }

  #end(line: string): void {
    const summary: TransferSummary = {
      events: this.#lines - 2,
      streams: this.#order.streams,
      sha256: this.#hash.digest("hex"),
    };
    if (`${line}\n` !== trailerLine(summary)) {
      throw new TransferError(
        "The file is damaged: its counts or its checksum are not those of its last line. Export again, or copy it again.",
      );
    }
    this.#summary = summary;
  }
}
