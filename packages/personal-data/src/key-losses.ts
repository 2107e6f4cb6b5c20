import { keyIdOf } from "./sealed-text.ts";
import type { KeyLoss, SubjectKey, SubjectKeys } from "./subject-keys.port.ts";

/** Losses that are remembered at most: of a whole file of keys, that many are enough to say so. */
const lossLimit = 10_000;

/** The keys that were found missing in this process, until they are there again or declared lost. */
export interface KeyLosses {
  readonly onLoss: (loss: KeyLoss) => void;
  /** In the order in which they were found. */
  list(): readonly KeyLoss[];
  /** Forgets those whose key is there by now, or destroyed. */
  recheck(keys: Pick<SubjectKeys, "find">): Promise<void>;
}

/** Remembers losses. */
export function createKeyLosses(): KeyLosses {
  const losses = new Map<string, KeyLoss>();
  return {
    onLoss(loss) {
      if (losses.size < lossLimit) losses.set(nameOf(loss), loss);
    },
    list: () => [...losses.values()],
    async recheck(keys) {
      if (losses.size === 0) return;
      const found = await keys.find([...new Set([...losses.values()].map(({ subject }) => subject))]);
      for (const [name, loss] of losses) if (isSettled(loss, found.get(loss.subject))) losses.delete(name);
    },
  };
}

/** Names a loss; the same one is found many times. */
export function nameOf({ subject, keyId = "unnamed" }: KeyLoss): string {
  return `${subject}-${keyId}`;
}

/** Whether a text opens that does not name its key is seen by opening it: with another key beside it, it stays a loss. */
function isSettled({ keyId, reason }: KeyLoss, key: SubjectKey | undefined): boolean {
  if (key === undefined || key === "destroyed") return key === "destroyed";
  if (keyId === undefined) return reason === "missing";
  return reason !== "damaged" && keyId === keyIdOf(key);
}
