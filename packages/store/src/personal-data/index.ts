/** Personal data, sealed with a key for each person. Destroying the key erases the data without changing events. */

export { mayHoldSealedText } from "./sealed-text.ts";
export { erasedText, notAvailableText } from "@hostledger/core";
export { createKeyLosses, nameOf as nameOfLoss, type KeyLosses } from "./key-losses.ts";
export { openRows, type PersonalColumns } from "./open-rows.ts";
export { openPersonalData, sealPersonalData, type OpensForReaders } from "./sealing-event-store.adapter.ts";
export { sealSnapshots } from "./sealing-snapshots.adapter.ts";
export { followErasures, type ErasureFollowing } from "./follow-erasures.ts";
export {
  subjectOfAccount,
  subjectOfRetention,
  SubjectKeyError,
  SubjectKeyMissingError,
  type KeyLoss,
  type TextKeys,
  type ErasureMark,
  type RetainedFilter,
  type RetainedKey,
  type SubjectKey,
  type SubjectKeys,
} from "./subject-keys.port.ts";
export { cacheSubjectKeys, type KeyCacheOptions } from "./cached-subject-keys.ts";
export { openSqliteSubjectKeys } from "./sqlite-subject-keys.adapter.ts";
export { openPostgresSubjectKeys } from "./postgres-subject-keys.adapter.ts";
export { keyOfRetention, type KeySource } from "./keys-to-seal-with.ts";
export { fileSalt, openFile, sealFile, subjectOfFile, type OpenedFile } from "./sealed-file.ts";
