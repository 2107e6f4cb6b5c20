import { keyIdOf } from "./sealed-text.ts";
import type { KeyLoss, SubjectKey, SubjectKeys } from "./subject-keys.port.ts";

/** Maximum remembered losses, enough to report the loss of a whole key file. */
const lossLimit = 10_000;

/** Keys found missing by this process, until they are restored or declared lost. */
export interface KeyLosses {
  readonly onLoss: (loss: KeyLoss) => void;
  /** Returns the losses in order of discovery. */
  list(): readonly KeyLoss[];
  /** Removes losses whose key was restored or destroyed. */
  recheck(keys: Pick<SubjectKeys, "find">): Promise<void>;
}

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

/** Returns a loss's id; a loss is reported many times. */
export function nameOf({ subject, keyId = "unnamed" }: KeyLoss): string {
  return `${subject}-${keyId}`;
}

/** Returns true if a loss has ended: its key was destroyed, or restored with the text's id. Damaged texts stay lost. */
function isSettled({ keyId, reason }: KeyLoss, key: SubjectKey | undefined): boolean {
  if (key === undefined || key === "destroyed") return key === "destroyed";
  if (keyId === undefined) return reason === "missing";
  return reason !== "damaged" && keyId === keyIdOf(key);
}
