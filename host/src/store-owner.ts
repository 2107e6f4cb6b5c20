import { createHash } from "node:crypto";
import { join } from "node:path";

import { storeOwnerAggregate } from "@hostledger/core";
import { createCommandHandler, withAppend, type EventStore } from "@hostledger/store";
import type { SubjectKeys } from "@hostledger/store/personal-data";
import type { Clock } from "@hostledger/runtime";

import { dataFiles } from "./data-files.ts";
import type { HostContext } from "./host-context.ts";
import { firstSealedEvent } from "./store-mark.ts";

const streamId = "keys";

/** The subject whose key identifies a file of keys; no text is sealed with it. */
const subject = "installation";

/** Hexadecimal digits of the name of a file of keys. */
const nameLength = 32;

interface StoreClaim {
  readonly clock: Pick<Clock, "now">;
  readonly keys: Pick<SubjectKeys, "find" | "firstEvent" | "obtain">;
}

/**
 * Keeps two instances with separate key files off one event store: each would read `[not available]` in the other's
 * personal texts, drive its orders and sign another log. The random keys of personal data identify the owner, and
 * are in the data directory and its backups; so a restart, a crash and a restored directory are recognised.
 * Instances with shared keys in PostgreSQL are not affected.
 * @returns the store, whose first append here makes the claim, so that a start alone writes nothing.
 * @throws Error with a sentence for the operator if another data directory uses the store.
 */
export async function claimStore(
  { configuration, onFatal, storeClaim }: Pick<HostContext, "configuration" | "onFatal" | "storeClaim">,
  store: EventStore,
  { clock, keys }: StoreClaim,
): Promise<EventStore> {
  const { data, database, eventStore } = configuration;
  if (storeClaim === undefined || database !== "sqlite" || eventStore === "embedded") return store;
  const isTakenOver = storeClaim === "taken-over";
  const path = join(data, dataFiles.subjectKeys);
  const own = await nameOf(keys);
  const commands = createCommandHandler({ store, recordedBy: "store-owner" });
  const { state: owner } = await commands.load(storeOwnerAggregate, streamId);
  if (!isTakenOver && (owner === undefined ? await isStrange(store, keys) : owner !== own))
    throw refusal(path);
  const claim = async (): Promise<void> => {
    const { state } = await commands.execute(
      storeOwnerAggregate,
      streamId,
      { type: "ClaimStore", data: { keys: own, isTakenOver, at: clock.now() } },
      { commandId: `claim-store/${own}`, correlationId: own, actor: "process:store-owner" },
    );
    if (state === own) return;
    // Both began on an empty store, and the other one was the first to write.
    const error = refusal(path);
    onFatal(error);
    throw error;
  };
  if (isTakenOver) await claim();
  if (isTakenOver || owner === own) return store;
  let claiming: Promise<void> | undefined;
  return withAppend(store, async (...appended) => {
    claiming ??= claim().catch((error: unknown) => {
      claiming = undefined;
      throw error;
    });
    await claiming;
    return store.append(...appended);
  });
}

async function nameOf(keys: Pick<SubjectKeys, "obtain">): Promise<string> {
  const key = await keys.obtain(subject);
  if (key === "destroyed") throw new Error(`the key of ${subject} was destroyed, which nothing does`);
  return createHash("sha256").update(key).digest("hex").slice(0, nameLength);
}

/** True where the keys are those of a first start, and the store's texts are sealed with others: an earlier version claimed nothing. */
async function isStrange(
  store: EventStore,
  keys: Pick<SubjectKeys, "find" | "firstEvent">,
): Promise<boolean> {
  if ((await keys.firstEvent()) !== undefined) return false;
  const sealed = (await firstSealedEvent(store))?.stream;
  return sealed !== undefined && (await keys.find([sealed])).size === 0;
}

function refusal(path: string): Error {
  return new Error(
    `Another data directory uses this event store: its customers' texts are sealed with other keys than those in ${path}. ` +
      "Start with the data directory that uses the store, or restore that one from a backup (docs/backup.md). " +
      "Several instances on one event store share a PostgreSQL database (HOSTLEDGER_DATABASE). " +
      "If the other directory is lost for good, start once with --take-over-store.",
  );
}
