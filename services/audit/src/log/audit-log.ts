import { join } from "node:path";

import type { EventStore } from "@hostledger/event-store";
import { claimDataDirectory, supervise, type Clock, type Logger } from "@hostledger/runtime";

import type { LogReader } from "../log.port.ts";
import type { CheckpointHistory } from "./checkpoint-history.ts";
import { createFollower } from "./follower.ts";
import { createLeafReader } from "./leaf-reader.ts";
import { AuditLogError } from "./log-error.ts";
import { logFiles, type LogFiles } from "./log-files.ts";
import { openFiles } from "./opening.ts";
import { createSigning, type AuditLogHealth } from "./signing.ts";

export type { AuditLogHealth };

/** The kept log. */
export interface AuditLog extends LogReader {
  readonly history: CheckpointHistory;
  /** Resolves when the log has seen the whole store once, has stopped, or was closed. */
  ready(): Promise<void>;
  health(): AuditLogHealth;
  /** Publishes what came last and lets go of the directory. */
  close(): Promise<void>;
}

/** What the log is kept with. */
export interface AuditLogOptions {
  /** The raw store: personal data as it is stored. Closed by whoever opened it. */
  readonly store: EventStore;
  /** The data directory; the log is in `audit/` below it. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the log. Default: the one it has, or one made at random. */
  readonly origin?: string;
  /** Wraps the files, for tests that stop at a write. */
  readonly wrapFiles?: (files: LogFiles) => LogFiles;
  /** Least time between two checkpoints, in milliseconds. Default: a second. */
  readonly checkpointEveryMs?: number;
}

const defaultCheckpointEveryMs = 1_000;

/** Opens the log, or begins one. @throws AuditLogError | DataDirectoryError a sentence */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const directory = claimDataDirectory(join(options.dataDirectory, "audit"));
  try {
    const onDisk = logFiles(directory.path);
    return await keep(options, options.wrapFiles?.(onDisk) ?? onDisk, () => {
      directory.release();
    });
  } catch (error) {
    directory.release();
    throw error;
  }
}

async function keep(options: AuditLogOptions, files: LogFiles, release: () => void): Promise<AuditLog> {
  const { store, clock, logger, origin } = options;
  const opened = await openFiles(files, { origin, epochMilliseconds: () => clock.epochMilliseconds() });
  const { parts } = opened;
  const readiness = Promise.withResolvers<undefined>();
  const becomeReady = (): void => {
    readiness.resolve(undefined);
  };
  const closing = new AbortController();
  const signing = createSigning(opened, logger);
  function stop(error: AuditLogError): void {
    signing.stop(error);
    becomeReady();
  }
  const follower = await createFollower({
    store,
    parts,
    onCaughtUp: becomeReady,
    writeAhead: () => signing.writeAhead(),
  });
  const reader = createLeafReader({
    store,
    parts,
    follower,
    onContradiction: stop,
    closing: closing.signal,
  });

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      await follower.follow(signal);
    } catch (error) {
      if (!(error instanceof AuditLogError)) throw error;
      stop(error);
      if (!signal.aborted) await aborted(signal);
    }
  }
  const everyMs = options.checkpointEveryMs ?? defaultCheckpointEveryMs;
  const tasks = [
    supervise("audit log", follow, { logger }),
    supervise("audit log checkpoints", (signal) => signing.publishEvery(everyMs, signal), { logger }),
  ];

  return {
    history: parts.history,
    get size() {
      return parts.edge.size;
    },
    checkpoint: () => signing.published,
    verifierKeys: () => signing.keys.signers.map(({ verifierKey }) => verifierKey),
    readTile: parts.tiles.read,
    entries: reader.entries,
    indexOf: reader.indexOf,
    rotate: () => signing.rotate(),
    ready: () => readiness.promise,
    health: () => signing.health(),
    async close() {
      closing.abort();
      for (const task of tasks) await task.stop();
      becomeReady();
      await signing.publish().finally(release);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
