import { backgroundTiming, Mutex, type Logger } from "@hostledger/runtime";
import { formatBundleNote, signNote, type BundleNote } from "@hostledger/transparency";

import type { AuditLogHealth } from "../log.port.ts";
import { addKey, type LogKeys } from "./key-file.ts";
import { AuditLogError } from "./log-error.ts";
import type { OpenedFiles } from "./opening.ts";
import { publish, writeAhead, type Checkpoint } from "./publisher.ts";

/** Time without writing after each checkpoint, in times of what it took: a tenth of the time is the log's at most. */
const pauseShare = 9;

/** The longest pause, in least pauses. */
const longestPauses = 10;

/** Publishes what the follower has taken: one writing at a time, so that a checkpoint never overtakes another one. */
export interface Signing {
  /** The last checkpoint. */
  readonly published: Checkpoint;
  readonly keys: LogKeys;
  /** Publishes if something came, or a key did; nothing once it was stopped. */
  publish(): Promise<void>;
  /** Publishes again and again until the signal aborts. @throws whatever hinders it; call it again then */
  publishEvery(pauseMs: number, signal: AbortSignal): Promise<void>;
  /** Writes full tiles that wait for the next checkpoint. */
  writeAhead(): Promise<void>;
  /** Signs what the log says of a bundle of it. */
  signBundle(bundle: Omit<BundleNote, "origin">): string;
  /** Adds a key and signs with it. @throws AuditLogError */
  rotate(): Promise<void>;
  /** Nothing is written any more: the store is not the one that the log has recorded. */
  stop(error: AuditLogError): void;
  /** Why nothing is written any more. */
  readonly stopped: AuditLogError | undefined;
  health(): AuditLogHealth;
}

/** Signs what comes after the opened files. */
export function createSigning(opened: OpenedFiles, logger: Logger): Signing {
  const { parts } = opened;
  let { keys, published } = opened;
  let signedWith = keys;
  let stopped: AuditLogError | undefined;
  let hindrance: string | undefined;
  const writing = new Mutex();

  /** Acts when nothing else is being written, and remembers how it went. */
  function exclusively(act: () => Promise<void>): Promise<void> {
    return writing.run(async () => {
      try {
        await act();
        hindrance = undefined;
      } catch (error) {
        // A refusal is an answer: nothing was hindered.
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
 * Syncing files holds up the event store's own syncs of the same disk, so a disk that takes long for a checkpoint is left
 * alone for longer.
 */
function pauseAfter(tookMs: number, leastMs: number): number {
  return Math.min(Math.max(leastMs, tookMs * pauseShare), leastMs * longestPauses);
}
