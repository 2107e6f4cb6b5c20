import { readFileSync, statSync } from "node:fs";

import type { Clock, Logger } from "@hostledger/runtime";

/** How long what was read holds before the file is looked at again, in milliseconds. */
const freshMs = 1_000;

/** What a file says now. */
export interface WatchedFile<Value> {
  /** The value, at most a second old. A file that became unusable changes nothing and is told in the log. */
  current(): Value;
  /** The value as of this moment. */
  latest(): Value;
}

/**
 * Reads a file, and again when it has changed: nothing waits for that, whoever asks has it looked at.
 * @throws what `parse` throws, and the system's errors, at the first reading only.
 */
export function watchFile<Value>(
  path: string,
  parse: (text: string) => Value,
  { clock, logger }: { readonly clock: Pick<Clock, "monotonicMilliseconds">; readonly logger: Logger },
): WatchedFile<Value> {
  let mark = markOf(path);
  let value = parse(readFileSync(path, "utf8"));
  let lookedAtMs = clock.monotonicMilliseconds();
  const latest = (): Value => {
    lookedAtMs = clock.monotonicMilliseconds();
    const now = markOf(path);
    if (now === mark) return value;
    mark = now;
    try {
      value = parse(readFileSync(path, "utf8"));
      logger.info({ path }, "a file with keys was read again");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ path, reason }, "a file with keys became unusable: those read before stay in force");
    }
    return value;
  };
  return {
    latest,
    current: () => (clock.monotonicMilliseconds() - lookedAtMs < freshMs ? value : latest()),
  };
}

/** What changes when a file is written or another takes its place. */
function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : [stat.ino, stat.size, stat.mtimeNs].join(" ");
}
