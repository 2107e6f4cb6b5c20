import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { errorCodeOf, silentLogger, systemClock } from "@hostledger/runtime";
import {
  consistencyProof,
  parseCheckpoint,
  rootOf,
  tilePath,
  verifyConsistency,
  type ReadTile,
} from "@hostledger/audit/log";
import { expect } from "vitest";

import { openAuditLog, type AuditLog, type AuditLogOptions } from "./audit-log.ts";

const clock = systemClock();
const appendLimit = 500;

export function openTestStore(folder: string, name = "events.sqlite"): Promise<EventStore> {
  return openEmbeddedEventStore({ path: join(folder, name), now: clock.now, onFailure: () => undefined });
}

export function openTestLog(
  store: EventStore,
  folder: string,
  options: Partial<AuditLogOptions> = {},
): Promise<AuditLog> {
  return openAuditLog({
    store,
    dataDirectory: folder,
    clock,
    logger: silentLogger(),
    checkpointEveryMs: 20,
    ...options,
  });
}

/** Appends small events to streams of their own. */
export async function appendEvents(store: EventStore, count: number): Promise<void> {
  for (let left = count; left > 0; left -= appendLimit) {
    const events = Array.from({ length: Math.min(left, appendLimit) }, () => ({
      id: randomUUID(),
      type: "Written.v1",
      data: "{}",
      metadata: "{}",
    }));
    await store.append(`writer-${randomUUID()}`, "no-stream", events);
  }
}

/** Waits until a checkpoint covers this number of leaves. */
export async function untilCovered(log: AuditLog, size: number): Promise<void> {
  await expect.poll(() => log.checkpoint().size, { timeout: 20_000 }).toBe(size);
}

/** Reads the checkpoint in a log's folder; undefined before the first one. */
export async function checkpointOnDisk(
  folder: string,
): Promise<{ size: number; root: Uint8Array } | undefined> {
  try {
    const note = await readFile(join(folder, "audit", "checkpoint"), "utf8");
    return parseCheckpoint(note.slice(0, note.indexOf("\n\n") + 1));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Reads the tiles like another program: the file of that width, or else the full one. */
export function tilesOnDisk(folder: string): ReadTile {
  return async (level, index, width) => {
    const at = (path: string): Promise<Buffer> => readFile(join(folder, "audit", path));
    const bytes = await at(tilePath(level, index, width)).catch(() => at(tilePath(level, index)));
    return bytes.subarray(0, width * 32);
  };
}

/** Checks that the files match their checkpoint, which has not shrunk and is consistent with an earlier one. */
export async function expectSoundFiles(
  folder: string,
  earlier: { readonly size: number; readonly root: Uint8Array } | undefined,
): Promise<{ readonly size: number; readonly root: Uint8Array } | undefined> {
  const present = await checkpointOnDisk(folder);
  if (present === undefined) {
    if (earlier !== undefined) throw new Error("the checkpoint is gone");
    return undefined;
  }
  const readTile = tilesOnDisk(folder);
  expect(await rootOf(present.size, readTile)).toEqual(present.root);
  if (earlier !== undefined) {
    expect(present.size).toBeGreaterThanOrEqual(earlier.size);
    const [first, second] = [earlier.size, present.size];
    const proof = await consistencyProof(first, second, readTile);
    expect(
      verifyConsistency({ first, second, firstRoot: earlier.root, secondRoot: present.root, proof }),
    ).toBe(true);
  }
  return present;
}
