import { createHash } from "node:crypto";

import type { EventStore } from "../event-store.port.ts";
import type { TransferSink } from "./file-sink.ts";
import { LogOrder } from "./log-order.ts";
import { OriginalTimes } from "./original-times.ts";
import { ownEvents } from "./own-events.ts";
import { TransferError } from "./transfer-error.ts";
import {
  eventLine,
  headerLine,
  trailerLine,
  type TransferHeader,
  type TransferSummary,
} from "./transfer-file.codec.ts";

export interface ExportOptions extends TransferHeader {
  /** Called from time to time with the number of written events. */
  readonly onProgress?: (events: number) => void;
}

/** Characters per write: small enough for memory, large enough for speed. */
const blockCharacters = 1_048_576;

/**
 * Writes all events that the store has at the call, in log order; see the README of this folder for the format. The store
 * may be in use. The store is read no faster than the sink accepts, so memory use is constant.
 * @throws TransferError a stream lacks deleted events, so its remainder cannot be appended elsewhere.
 * @throws Error any error of the store or the sink; the sink is then discarded.
 */
export async function exportStore(
  store: EventStore,
  sink: TransferSink,
  options: ExportOptions,
): Promise<TransferSummary> {
  try {
    const summary = await writeAll(store, sink, options);
    await sink.complete();
    return summary;
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

async function writeAll(
  store: EventStore,
  sink: TransferSink,
  { onProgress, ...header }: ExportOptions,
): Promise<TransferSummary> {
  const hash = createHash("sha256");
  const write = async (text: string): Promise<void> => {
    hash.update(text);
    await sink.write(text);
  };
  const order = new LogOrder();
  const times = new OriginalTimes(store);
  let events = 0;
  let block = headerLine(header);
  for await (const batch of ownEvents(store)) {
    for (const event of batch) {
      const broken = order.brokenBy(event);
      if (broken !== undefined) throw new TransferError(`The store cannot be exported whole: ${broken}.`);
      block += eventLine(times.ended ? event : await times.restored(event));
      if (block.length < blockCharacters) continue;
      await write(block);
      block = "";
    }
    events += batch.length;
    onProgress?.(events);
  }
  await write(block);
  const summary = { events, streams: order.streams, sha256: hash.digest("hex") };
  await sink.write(trailerLine(summary));
  return summary;
}
