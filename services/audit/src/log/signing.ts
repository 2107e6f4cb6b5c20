import { backgroundTiming, Mutex, type Logger } from "@hostledger/runtime";
import { formatBundleNote, signNote, type BundleNote } from "@hostledger/audit/log";

import type { AuditLogHealth } from "../log.port.ts";
import { addKey, type LogKeys } from "./key-file.ts";
import { AuditLogError } from "./log-error.ts";
import type { OpenedFiles } from "./opening.ts";
import { publish, writeAhead, type Checkpoint } from "./publisher.ts";

/** Pause after each checkpoint, in durations of the checkpoint, so that the log uses at most a tenth of the time. */
const pauseShare = 9;

/** Longest pause, in shortest pauses. */
const longestPauses = 10;

/** Publishes new leaves. Only one write runs at a time, so that checkpoints stay in order. */
export interface Signing {
  readonly published: Checkpoint;
  readonly keys: LogKeys;
  /** Publishes new leaves or keys, unless the log has stopped. */
  publish(): Promise<void>;
  /** Publishes repeatedly until the signal aborts. @throws any error of a write; call it again then */
  publishEvery(pauseMs: number, signal: AbortSignal): Promise<void>;
  /** Writes full tiles that wait for the next checkpoint. */
  writeAhead(): Promise<void>;
  signBundle(bundle: Omit<BundleNote, "origin">): string;
  /** Adds a key and signs with it. @throws AuditLogError */
  rotate(): Promise<void>;
  /** Stops all writing, because the store contradicts the log. */
  stop(error: AuditLogError): void;
  /** Reason why the log stopped; undefined while it runs. */
  readonly stopped: AuditLogError | undefined;
  health(): AuditLogHealth;
}

export function createSigning(opened: OpenedFiles, logger: Logger): Signing {
  const { parts } = opened;
  let { keys, published } = opened;
  let signedWith = keys;
  let stopped: AuditLogError | undefined;
  let hindrance: string | undefined;
  const writing = new Mutex();

  /** Runs an action when no other write runs, and stores its failure. */
  function exclusively(act: () => Promise<void>): Promise<void> {
    return writing.run(async () => {
      try {
        await act();
        hindrance = undefined;
      } catch (error) {
        // An AuditLogError refuses the action; the files can still be written.
        if (!(error instanceof AuditLogError))
          hindrance = `The audit log cannot be written: ${error instanceof Error ? error.message : String(error)}`;
        throw error;
      }
    });
  }

  async function sign(): Promise<void> {
    const signers = keys;
    published = await publish(parts, signers, published);
    signedWith = signers;
  }

  const publishNow = (): Promise<void> =>
    exclusively(async () => {
      if (stopped === undefined && (parts.tiles.size > published.size || signedWith !== keys)) await sign();
    });

  return {
    get published() {
      return published;
    },
    get stopped() {
      return stopped;
    },
    get keys() {
      return keys;
    },
    publish: publishNow,
    async publishEvery(pauseMs, signal) {
      let waitMs = pauseMs;
      while (!signal.aborted) {
        await backgroundTiming.sleep(waitMs, signal);
        const startMs = backgroundTiming.monotonicMilliseconds();
        await publishNow();
        waitMs = pauseAfter(backgroundTiming.monotonicMilliseconds() - startMs, pauseMs);
      }
    },
    writeAhead: () => exclusively(() => writeAhead(parts)),
    signBundle: (bundle) => signNote(formatBundleNote({ ...bundle, origin: keys.origin }), keys.signers),
    async rotate() {
      if (stopped !== undefined) throw stopped;
      await exclusively(async () => {
        keys = await addKey(parts.files, keys);
        await sign();
      });
    },
    stop(error) {
      stopped ??= error;
      logger.error({ error }, "the audit log has stopped");
    },
    health() {
      if (stopped !== undefined) return { status: "stopped", sentence: stopped.message };
      return hindrance === undefined ? { status: "following" } : { status: "failing", sentence: hindrance };
    },
  };
}

/**
 * Returns the pause before the next checkpoint. Syncs delay the event store's syncs on the same disk, so a slow disk gets
 * longer pauses.
 */
function pauseAfter(tookMs: number, leastMs: number): number {
  return Math.min(Math.max(leastMs, tookMs * pauseShare), leastMs * longestPauses);
}
