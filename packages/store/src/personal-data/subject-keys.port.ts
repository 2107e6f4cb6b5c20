import { TemporarilyUnavailableError } from "@hostledger/core";

const missingKeyAdvice =
  "restore the keys from a backup, or, where several processes share the event store, let them share the keys (one HOSTLEDGER_DATABASE in PostgreSQL, or one HOSTLEDGER_DATA); one that is lost for good is declared with `hostledger admin account key-lost`";

/** 32 bytes, or `destroyed`. */
export type SubjectKey = Uint8Array | "destroyed";

/** Position in `$all` up to which erasures were carried out, as text. */
export type ErasureMark = string;

/** Keys of the persons whose data is sealed. A key is created once and destroyed once; the destruction is stored. */
export interface SubjectKeys {
  /** Returns the keys of subjects; subjects without a key or with a damaged key are missing from the result. */
  find(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>>;
  /** Returns the subject's key, created if there never was one. @throws SubjectKeyError if the key is damaged. */
  obtain(subject: string): Promise<SubjectKey>;
  /** Destroys the key durably. @returns false if there was no key. */
  destroy(subject: string): Promise<boolean>;
  /** Lists keys of texts that the law keeps and that were not destroyed, the earliest years first; at most 1,000. */
  retained(filter: RetainedFilter): Promise<readonly RetainedKey[]>;
  /** Position up to which erasures were carried out. It is stored with the keys, so a backup restores both together. */
  erasuresUntil(): Promise<ErasureMark | undefined>;
  markErasuresUntil(mark: ErasureMark): Promise<void>;
  /** Id of the first event of the store that the keys belong to; undefined before `markFirstFact`. */
  firstEvent(): Promise<string | undefined>;
  /** Assigns the keys to a store, once. */
  markFirstEvent(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Which keys `retained` lists. */
export interface RetainedFilter {
  readonly accountId?: number;
  /** Latest year, inclusive. */
  readonly throughYear?: number;
  /** Accounts whose keys are left out. */
  readonly except?: readonly number[];
}

/** A key of `subjectOfRetention`. */
export interface RetainedKey {
  readonly accountId: number;
  readonly year: number;
}

export const retainedLimit = 1_000;

/** Reason why texts do not open: no key, the wrong key, or a damaged text. */
export type LossReason = "missing" | "another" | "damaged";

/** A missing key that was not destroyed, found when a text did not open. */
export interface KeyLoss {
  readonly subject: string;
  /** Id of the text's key; undefined for texts of version 1. */
  readonly keyId: string | undefined;
  readonly reason: LossReason;
}

/** Finds keys for opening texts; `onLoss` gets each text that does not open. */
export interface TextKeys extends Pick<SubjectKeys, "find"> {
  readonly onLoss?: (loss: KeyLoss) => void;
}

/** The keys cannot be used. The message is for the operator. */
export class SubjectKeyError extends Error {
  override readonly name = "SubjectKeyError";
}

/** The key of a person is missing. A second key is never created, because then neither would open all texts. */
export class SubjectKeyMissingError extends TemporarilyUnavailableError {
  override readonly name = "SubjectKeyMissingError";
  override readonly sentence =
    "Texts of this account can neither be read nor recorded at present: its key is missing. Our staff know of it.";

  constructor(subject: string) {
    super(`the key of ${subject} is not among the subject keys and was not destroyed: ${missingKeyAdvice}`);
  }
}

/** Returns the subject of an account's personal data, which is also the name of the account's stream. */
export function subjectOfAccount(accountId: number): string {
  return `account-${String(accountId)}`;
}

/**
 * Returns the subject of texts of an account that the law keeps until the end of a year. An erasure does not destroy its key.
 * @param year last year in which the texts are kept.
 */
export function subjectOfRetention(accountId: number, year: number): string {
  return `retention-${String(accountId)}-${String(year)}`;
}

export const keyBytes = 32;

/** Reads a stored key; null means destroyed. @returns undefined for an absent or damaged key. */
export function readKey(stored: unknown): SubjectKey | undefined {
  if (stored === null) return "destroyed";
  if (!(stored instanceof Uint8Array) || stored.length !== keyBytes) return undefined;
  // Zeros come from an interrupted destruction, which the next start completes.
  return stored.every((byte) => byte === 0) ? "destroyed" : stored;
}

/** Reads the name of a key as `subjectOfRetention` returns it. */
export function retainedKeyOf(subject: string): RetainedKey {
  const [, accountId, year] = subject.split("-");
  return { accountId: Number(accountId), year: Number(year) };
}
