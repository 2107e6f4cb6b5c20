/** 32 bytes, or the word that they are gone for good. */
export type SubjectKey = Uint8Array | "destroyed";

/** How far the log was searched for erasures: a position of the store, as text. */
export type ErasureMark = string;

/**
 * The keys of the people whose data is sealed, one each. A key is made once and destroyed once; where it was, it is
 * remembered that it is gone, so that it is never made again.
 */
export interface SubjectKeys {
  /** The keys of these subjects. One that never had a key is missing from the answer. */
  find(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>>;
  /** The subject's key, which is made when there never was one. Whoever asks at the same moment gets the same. */
  obtain(subject: string): Promise<SubjectKey>;
  /** Destroys the key, durably, where it lies. @returns false where it was gone already, or never was. */
  destroy(subject: string): Promise<boolean>;
  /** How far erasures of the log were carried out. It is kept beside the keys: a backup of them is behind together with it. */
  erasuresUntil(): Promise<ErasureMark | undefined>;
  markErasuresUntil(mark: ErasureMark): Promise<void>;
  close(): Promise<void>;
}

/** The keys cannot be used, or a sealed text does not fit its key. The message is for the operator. */
export class SubjectKeyError extends Error {
  override readonly name = "SubjectKeyError";
}

/** Who an account's personal data is about, also the name of the account's stream. */
export function subjectOfAccount(accountId: number): string {
  return `account-${String(accountId)}`;
}

/** Bytes of a key. */
export const keyBytes = 32;

/** What the operator can do about a key that is not there. */
export const missingKeyAdvice =
  "restore the keys from a backup, or, where several processes share the event store, let them share the keys (one HOSTLEDGER_DATABASE in PostgreSQL, or one HOSTLEDGER_DATA)";
