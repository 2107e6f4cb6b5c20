import { Backoff, type Timing } from "@hostledger/runtime";
import { BundleError } from "@hostledger/verification";

import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";
import { openLiveLog, type LiveLog } from "./live-log.ts";

/** How long a checkpoint that covers the log is waited for: one is signed every second, and less often under load. */
const signingBackoff = { firstMs: 200, longestMs: 1_600 };
const attempts = 8;

/**
 * Opens the log of a running instance at a checkpoint that covers every event that the log has when this is called: who
 * judges the books must not pass over the last of them.
 *
 * @throws BundleError when no such checkpoint comes, which says how far the last one is
 */
export async function openWholeLog(client: AuditClient, timing: Timing): Promise<LiveLog> {
  const end = await sizeOf(client);
  const backoff = new Backoff(signingBackoff, timing);
  for (let attempt = 1; ; attempt += 1) {
    const log = await openLiveLog(client, timing);
    if (log.size >= end) return log;
    if (attempt >= attempts)
      throw new BundleError(
        `The audit log is behind: its last checkpoint signs ${String(log.size)} of its ${String(end)} events, and the rest was not judged. Try again, or see why it does not sign (GET /readyz).`,
      );
    await backoff.pause();
  }
}

/** How many events the log has, signed or not. */
async function sizeOf(client: AuditClient): Promise<number> {
  const request = { firstIndex: 0n, limit: 1n, asStored: true };
  let end = 0;
  for await (const { endIndex } of client.readEvents(request, { timeoutMs: readingDeadlineMilliseconds }))
    end = Number(endIndex);
  return end;
}
