import type { SnapshotStore } from "../index.ts";

import { openText, sealText } from "./sealed-text.ts";
import { SubjectKeyError, type SubjectKeys } from "./subject-keys.port.ts";

/** Seals snapshots of streams that are named like their subjects. Without the key, they are neither loaded nor saved. */
export function sealSnapshots(snapshots: SnapshotStore, keys: Pick<SubjectKeys, "find">): SnapshotStore {
  return {
    async load(stream) {
      const snapshot = await snapshots.load(stream);
      if (snapshot === undefined) return undefined;
      const key = (await keys.find([stream])).get(stream);
      if (key === undefined || key === "destroyed") return undefined;
      return { ...snapshot, parts: opened(snapshot.parts, key, stream) };
    },
    async save(stream, head, parts) {
      const key = (await keys.find([stream])).get(stream);
      if (key !== undefined && key !== "destroyed")
        await snapshots.save(stream, head, sealed(parts, key, stream));
    },
    close: () => snapshots.close(),
  };
}

function* sealed(parts: Iterable<string>, key: Uint8Array, subject: string): Generator<string> {
  let number = 0;
  for (const part of parts) {
    yield sealText(part, key, { subject, record: "snapshot", field: `snapshot ${String(number)}` });
    number += 1;
  }
}

async function* opened(
  parts: AsyncIterable<string>,
  key: Uint8Array,
  subject: string,
): AsyncGenerator<string, void, undefined> {
  let number = 0;
  for await (const part of parts) {
    const text = openText(part, key, { subject, field: `snapshot ${String(number)}` });
    if (text === undefined)
      throw new SubjectKeyError(
        `a snapshot of ${subject} does not open: its key or the snapshot is another one`,
      );
    yield text;
    number += 1;
  }
}
