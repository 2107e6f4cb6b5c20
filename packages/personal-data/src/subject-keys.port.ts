import { TemporarilyUnavailableError } from "@hostledger/core";

/** What the operator can do about a key that is not there. */
const missingKeyAdvice =
  "restore the keys from a backup, or, where several processes share the event store, let them share the keys (one HOSTLEDGER_DATABASE in PostgreSQL, or one HOSTLEDGER_DATA); one that is lost for good is declared with `hostledger admin account key-lost`";

/** 32 bytes, or the word that they are gone for good. */
export type SubjectKey = Uint8Array | "destroyed";

/** How far the log was searched for erasures: a position of the store, as text. */
export type ErasureMark = string;

/**
 * The keys of the people whose data is sealed, one each. A key is made once and destroyed once; where it was, it is
 * remembered that it is gone, so that it is never made again.
 */
export interface SubjectKeys {
  /** The keys of these subjects. One that never had a key is missing from the answer, and so is one whose key is damaged. */
  find(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>>;
  /**
   * The subject's key, which is made when there never was one. Whoever asks at the same moment gets the same.
   * @throws SubjectKeyError it is damaged.
   */
  obtain(subject: string): Promise<SubjectKey>;
  /** Destroys the key, durably, where it lies. @returns false where it was gone already, or never was. */
  destroy(subject: string): Promise<boolean>;
  /** How far erasures of the log were carried out. It is kept beside the keys: a backup of them is behind together with it. */
  erasuresUntil(): Promise<ErasureMark | undefined>;
  markErasuresUntil(mark: ErasureMark): Promise<void>;
  /** The id of the first fact of the store whose texts the keys open; undefined until they were told. */
  firstFact(): Promise<string | undefined>;
  /** Keeps it, once: keys that belong to a store go on belonging to it. */
  markFirstFact(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Why a person's texts do not open: there is no key, there is another one, or the text itself is damaged. */
export type LossReason = "missing" | "another" | "damaged";

/** A key that is not there and was never destroyed, as far as one text shows it. */
export interface KeyLoss {
  readonly subject: string;
  /** The key that the text names; undefined for one that was sealed before texts named their key. */
  readonly keyId: string | undefined;
  readonly reason: LossReason;
}

/** What opens texts, and hears of those that it does not open. */
export interface TextKeys extends Pick<SubjectKeys, "find"> {
  readonly onLoss?: (loss: KeyLoss) => void;
}

/** The keys cannot be used. The message is for the operator. */
export class SubjectKeyError extends Error {
  override readonly name = "SubjectKeyError";
}

/**
 * Something about a person is to be recorded whose key is missing: no second one is made, since no file of keys would then open
 * all of the person's texts.
 */
export class SubjectKeyMissingError extends TemporarilyUnavailableError {
  override readonly name = "SubjectKeyMissingError";
  override readonly sentence =
    "Texts of this account can neither be read nor recorded at present: its key is missing. Our staff know of it.";

  constructor(subject: string) {
    super(`the key of ${subject} is not among the subject keys and was not destroyed: ${missingKeyAdvice}`);
  }
}

/** Who an account's personal data is about, also the name of the account's stream. */
export function subjectOfAccount(accountId: number): string {
  return `account-${String(accountId)}`;
}

/** Bytes of a key. */
export const keyBytes = 32;

/** What stands for a subject where keys are kept: null is the mark of a destroyed one. @returns undefined for what is no key, or no longer. */
export function readKey(stored: unknown): SubjectKey | undefined {
  if (stored === null) return "destroyed";
  if (!(stored instanceof Uint8Array) || stored.length !== keyBytes) return undefined;
  // Zeros were never a key: its destruction was interrupted before the mark, and is finished at the next start.
  return stored.every((byte) => byte === 0) ? "destroyed" : stored;
}
