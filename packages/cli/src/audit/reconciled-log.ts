import type { LogEvent } from "@hostledger/audit/log";
import {
  BundleError,
  readBundle,
  reconciler,
  type OtherSides,
  type Reconciliation,
} from "@hostledger/audit/verification";
import { counted } from "@hostledger/core";
import { Backoff, type Timing } from "@hostledger/runtime";

import type { Io } from "../io.ts";
import { progressBar } from "../output/progress-bar.ts";
import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";
import { readBankTexts } from "./bank-texts.codec.ts";
import { openLiveLog, type LiveLog } from "./live-log.ts";

/** Sides that the caller names. */
type NamedSides = Pick<OtherSides, "provider" | "unmatchedDays">;

interface ReadableLog {
  readonly size: number;
  readonly events: () => AsyncIterable<readonly LogEvent[]>;
}

/** Reconciles the log of a running instance with the balances that it shows, and with the texts that it opens. @throws BundleError */
export async function reconcileInstance(
  io: Io,
  client: AuditClient,
  sides: NamedSides,
): Promise<Reconciliation> {
  const log = await openWholeLog(client, io.timing);
  return reconcileLog(io, log, async (hasPayouts) => ({
    ...sides,
    shown: await log.shownBalances(),
    texts: hasPayouts ? await readBankTexts(client) : undefined,
  }));
}

/**
 * Reconciles a bundle without an instance, and names what only an instance has.
 * @throws BundleError for a bundle that is unreadable or lacks an event
 */
export async function reconcileBundle(io: Io, directory: string, sides: NamedSides): Promise<Reconciliation> {
  const bundle = await readBundle(directory);
  const { size } = bundle.manifest;
  const shown = await bundle.shownBalances?.();
  async function* events(): AsyncGenerator<readonly LogEvent[]> {
    let index = 0;
    for await (const batch of bundle.entries(0, size)) {
      yield batch.map(({ event, problem }) => {
        if (event === undefined || problem !== undefined)
          throw new BundleError(
            `Event ${String(index)} of the bundle cannot be read, so nothing was compared: see hostledger audit verify.`,
          );
        index += 1;
        return event;
      });
    }
  }
  const reconciliation = await reconcileLog(io, { size, events }, () => Promise.resolve({ ...sides, shown }));
  const { outside } = reconciliation;
  const missing = [
    ...(shown === undefined ? ["the balances that the instance shows"] : []),
    "the signatures and hashes of the bundle, which hostledger audit verify checks",
  ];
  return { ...reconciliation, outside: { ...outside, notCompared: [...outside.notCompared, ...missing] } };
}

async function reconcileLog(
  io: Io,
  log: ReadableLog,
  sidesOf: (hasPayouts: boolean) => Promise<OtherSides>,
): Promise<Reconciliation> {
  const bar = progressBar(io, "events");
  let hasPayouts = false;
  try {
    const show = async (see: (event: LogEvent) => void): Promise<void> => {
      let read = 0;
      for await (const batch of log.events()) {
        for (const event of batch) {
          see(event);
          hasPayouts ||= event.type.startsWith("PayoutQueued.");
        }
        bar.report((read += batch.length), log.size);
      }
    };
    let reconciling = reconciler();
    await show(reconciling.see);
    const again = reconciling.again();
    if (again !== undefined) {
      reconciling = again;
      await show(reconciling.see);
    }
    return reconciling.end(await sidesOf(hasPayouts));
  } finally {
    bar.end();
  }
}

/** Pauses while waiting for a checkpoint over the whole log. Checkpoints are signed every second, less often under load. */
const signingBackoff = { firstMs: 200, longestMs: 1_600 };
const attempts = 8;

/** Opens the log at a checkpoint over all present events. @throws BundleError if none arrives */
async function openWholeLog(client: AuditClient, timing: Timing): Promise<LiveLog> {
  const end = await sizeOf(client);
  const backoff = new Backoff(signingBackoff, timing);
  for (let attempt = 1; ; attempt += 1) {
    const log = await openLiveLog(client, timing);
    if (log.size >= end) return log;
    if (attempt >= attempts)
      throw new BundleError(
        `The audit log is behind: its last checkpoint signs ${String(log.size)} of its ${counted(end, "event")}, and later events were not checked. Try again, or read the reason at GET /readyz.`,
      );
    await backoff.pause();
  }
}

/** Returns the number of events in the log, signed or unsigned. */
async function sizeOf(client: AuditClient): Promise<number> {
  const request = { firstIndex: 0n, limit: 1n, asStored: true };
  let end = 0;
  for await (const { endIndex } of client.readEvents(request, { timeoutMs: readingDeadlineMilliseconds }))
    end = Number(endIndex);
  return end;
}
