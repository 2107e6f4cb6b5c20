import { join } from "node:path";

import type { EventStore } from "@hostledger/store";
import { claimDataDirectory, Mutex, supervise, type Clock, type Logger } from "@hostledger/runtime";

import type { AuditLogHealth } from "../log.port.ts";
import { begunOrigin, hasHistory, markBegun } from "./begun-mark.ts";
import { historyFolder, type CheckpointHistory } from "./checkpoint-history.ts";
import { createFollower, type Follower } from "./follower.ts";
import { keyFile, randomOrigin, readableKeys, unsignedFile } from "./key-file.ts";
import { lostLog, type AuditLog, type KeptLog } from "./kept-log.ts";
import { createLeafReader } from "./leaf-reader.ts";
import { AuditLogError, LogContradictionError, LostLogError, lostState, missingLog } from "./log-error.ts";
import { logFiles, type LogFiles } from "./log-files.ts";
import { forgetState, lostFolder, openFiles, type OpenedFiles } from "./opening.ts";
import { positionsFile } from "./positions.ts";
import { positionsMender } from "./positions-mender.ts";
import { checkpointFile } from "./publisher.ts";
import { createSigning } from "./signing.ts";
import { watchTiles } from "./tile-check.ts";

export type { AuditLog, AuditLogHealth };

export interface AuditLogOptions {
  /** The raw store with sealed personal data. The caller closes it. */
  readonly store: EventStore;
  /** The data directory; the log is in `audit/` below it. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the log. Default: its present name, or a random one. */
  readonly origin?: string;
  /** Wraps the files, for tests that stop at a write. */
  readonly wrapFiles?: (files: LogFiles) => LogFiles;
  /** Shortest time between two checkpoints, in milliseconds. Default: 1,000. */
  readonly checkpointEveryMs?: number;
}

/** Files that may remain of a log or come from its backup. */
const stateFiles = [keyFile, checkpointFile, positionsFile, historyFolder, lostFolder, "tile", unsignedFile];

const defaultCheckpointEveryMs = 1_000;

/**
 * Opens or begins the log. A log that lost its state refuses every question until staff have it rebuilt; the store is
 * served meanwhile.
 * @throws AuditLogError | DataDirectoryError a sentence
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const directory = claimDataDirectory(join(options.dataDirectory, "audit"), stateFiles);
  const onDisk = logFiles(directory.path);
  const files = options.wrapFiles?.(onDisk) ?? onDisk;
  const open = async (): Promise<KeptLog> => {
    try {
      return await keep(options, files);
    } catch (error) {
      const kept = begunOrigin(options.dataDirectory) ?? (await readableKeys(files))?.origin;
      if (!(error instanceof LostLogError)) throw error;
      const origin = kept ?? options.origin ?? randomOrigin();
      options.logger.error({ error }, "the audit log has lost its state");
      return lostLog(error, origin);
    }
  };
  try {
    let log = await open();
    const restarting = new Mutex();
    return {
      get history() {
        return log.history;
      },
      get size() {
        return log.size;
      },
      get fault() {
        return log.fault;
      },
      get lost() {
        return log.lost;
      },
      get contradicted() {
        return contradictedOrigin(log);
      },
      checkpoint: () => log.checkpoint(),
      verifierKeys: () => log.verifierKeys(),
      readTile: (level, index, width) => log.readTile(level, index, width),
      entries: (firstIndex, count) => log.entries(firstIndex, count),
      entriesAsFound: (firstIndex, count) => log.entriesAsFound(firstIndex, count),
      indexOf: (recorded) => log.indexOf(recorded),
      confirm: (recorded) => log.confirm(recorded),
      compareFrom: (place) => log.compareFrom(place),
      checkTiles: (signal) => log.checkTiles(signal),
      damaged: () => log.damaged(),
      mended: () => log.mended(),
      signBundle: (bundle) => log.signBundle(bundle),
      rotate: () => log.rotate(),
      earlierNotes: () => log.earlierNotes(),
      ready: () => log.ready(),
      health: () => log.health(),
      behind: () => log.behind(),
      restart: () =>
        restarting.run(async () => {
          const origin = log.lost ?? log.damaged() ?? contradictedOrigin(log);
          if (origin === undefined) throw new AuditLogError("The audit log exists: nothing was lost.");
          await log.close();
          await forgetState(files);
          log = await keep({ ...options, origin }, files);
        }),
      close: async () => {
        await log.close().finally(() => {
          directory.release();
        });
      },
    };
  } catch (error) {
    directory.release();
    throw error;
  }
}

/** Returns the name of a log that the store contradicts. */
function contradictedOrigin({ fault, origin }: Pick<KeptLog, "fault" | "origin">): string | undefined {
  return fault instanceof LogContradictionError ? origin : undefined;
}

/** Opens the files and records beside them that the log exists. @throws AuditLogError */
async function openMarked(
  { store, clock, dataDirectory, origin }: AuditLogOptions,
  files: LogFiles,
): Promise<OpenedFiles> {
  const opened = await openFiles(files, {
    origin,
    epochMilliseconds: () => clock.epochMilliseconds(),
    async whyLost() {
      const begun = begunOrigin(dataDirectory);
      if (!(await hasHistory(store, begun !== undefined))) return undefined;
      return begun === undefined ? missingLog() : lostState(begun);
    },
  });
  markBegun(dataDirectory, opened.keys.origin);
  return opened;
}

async function keep(options: AuditLogOptions, files: LogFiles): Promise<KeptLog> {
  const { store, logger, checkpointEveryMs: everyMs = defaultCheckpointEveryMs } = options;
  const opened = await openMarked(options, files);
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
  const mender = positionsMender({
    store,
    parts,
    logger,
    closing: closing.signal,
    writeAhead: () => signing.writeAhead(),
  });
  const follower = await createFollower({
    store,
    parts,
    mender,
    onCaughtUp: becomeReady,
    writeAhead: () => signing.writeAhead(),
  });
  const reader = createLeafReader({
    store,
    parts,
    follower,
    mend: mender.mend,
    stopped: () => signing.stopped,
    onContradiction: stop,
    closing: closing.signal,
  });

  const tasks = [
    supervise("audit log", (signal) => followOrStop(follower, stop, signal), { logger }),
    supervise("audit log checkpoints", (signal) => signing.publishEvery(everyMs, signal), { logger }),
  ];

  return {
    history: parts.history,
    get size() {
      return parts.tiles.size;
    },
    checkpoint: () => signing.published,
    verifierKeys: () => signing.keys.signers.map(({ verifierKey }) => verifierKey),
    readTile: parts.tiles.read,
    ...reader,
    mended: mender.mended,
    signBundle: (bundle) => signing.signBundle(bundle),
    rotate: () => signing.rotate(),
    earlierNotes: () => notesOf(parts.history),
    ready: () => readiness.promise,
    ...watchTiles(opened, signing, closing.signal),
    behind: () => follower.behind(),
    lost: undefined,
    get fault() {
      return signing.stopped;
    },
    origin: opened.keys.origin,
    async close() {
      closing.abort();
      for (const task of tasks) await task.stop();
      becomeReady();
      await signing.publish();
    },
  };
}

/** Follows the store. At a contradiction the log stops and waits to be closed. */
async function followOrStop(
  follower: Follower,
  stop: (error: AuditLogError) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    await follower.follow(signal);
  } catch (error) {
    if (!(error instanceof AuditLogError)) throw error;
    stop(error);
    if (!signal.aborted) await aborted(signal);
  }
}

/** Returns the stored checkpoints that still exist. */
async function notesOf(history: CheckpointHistory): Promise<readonly string[]> {
  const sizes = await history.sizes();
  const notes = await Promise.all(sizes.map((size) => history.read(size)));
  return notes.filter((note) => note !== undefined);
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
