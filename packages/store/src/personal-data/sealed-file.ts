import { createHmac } from "node:crypto";

import { decrypted, encrypted, keyIdOf, type TextOwner } from "./sealed-text.ts";
import type { KeyLoss, SubjectKey } from "./subject-keys.port.ts";

const header = /^sealed-file:v1:(?<subject>[A-Za-z]+(?:-[0-9]+)+):(?<keyId>[A-Za-z0-9_-]{8})\n/u;
/** Longer than each header. */
const headerBytes = 100;

/**
 * Seals a file: a line `sealed-file:v1:<subject>:<key id>`, then nonce ‖ ciphertext ‖ tag. A file sealed again under its name has
 * the same bytes.
 * @param owner the subject whose key this is, and the file's name: the file does not open under another name.
 */
export function sealFile(content: Uint8Array, key: Uint8Array, owner: TextOwner): Buffer {
  const line = `sealed-file:v1:${owner.subject}:${keyIdOf(key)}\n`;
  return Buffer.concat([Buffer.from(line), encrypted(content, key, { ...owner, record: "file" })]);
}

/** Reads whose key opens a file. @returns undefined if the bytes are no sealed file */
export function subjectOfFile(sealed: Uint8Array): string | undefined {
  return headerOf(sealed)?.subject;
}

/** Content of a sealed file, or the reason why it cannot be opened. */
export type OpenedFile =
  | { readonly content: Uint8Array }
  | { readonly problem: "destroyed" | KeyLoss["reason"]; readonly keyId?: string };

/** Opens a sealed file under its name. @param key key of `subjectOfFile` */
export function openFile(sealed: Uint8Array, key: SubjectKey | undefined, field: string): OpenedFile {
  if (key === "destroyed") return { problem: "destroyed" };
  const found = headerOf(sealed);
  if (found === undefined) return { problem: "damaged" };
  const { subject, keyId, length } = found;
  if (key === undefined) return { problem: "missing", keyId };
  if (keyIdOf(key) !== keyId) return { problem: "another", keyId };
  const content = decrypted(sealed.subarray(length), key, { subject, field });
  return content === undefined ? { problem: "damaged", keyId } : { content };
}

function headerOf(
  sealed: Uint8Array,
): { readonly subject: string; readonly keyId: string; readonly length: number } | undefined {
  const found = header.exec(Buffer.from(sealed.subarray(0, headerBytes)).toString("latin1"));
  const { subject, keyId } = found?.groups ?? {};
  if (found === null || subject === undefined || keyId === undefined) return undefined;
  return { subject, keyId, length: found[0].length };
}

/** Returns 32 bytes in hexadecimal digits that only the key's owner can compute, so that all processes use the same salt. */
export function fileSalt(key: Uint8Array, { subject, field }: TextOwner): string {
  return createHmac("sha256", key).update(`hostledger salt\0${subject}\0${field}`).digest("hex");
}
