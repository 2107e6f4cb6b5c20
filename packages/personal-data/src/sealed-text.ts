import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

import { SubjectKeyError } from "./subject-keys.port.ts";

/** What is read in place of a text whose key was destroyed. */
export const erasedText = "[erased]";

/** Whose text it is, and which. It is bound to both: a sealed text does not open as somebody else's, or as another field. */
export interface TextOwner {
  readonly subject: string;
  readonly field: string;
}

/** Where a text stands. Read models carry sealed texts on, so the place is not needed to open one. */
export interface TextPlace extends TextOwner {
  /** Id of the event, or what else names the record. */
  readonly record: string;
}

const prefix = "sealed:v1:";
const shape = /^sealed:v1:([A-Za-z]+-[0-9]+):([A-Za-z0-9_-]{38,})$/;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals a text: `sealed:v1:<subject>:<base64url(nonce ‖ ciphertext ‖ tag)>`. The nonce is an HMAC over place and text, so
 * the same text at the same place gives the same bytes (a repeated append stays the same append), and no nonce
 * serves two texts.
 */
export function sealText(text: string, key: Uint8Array, place: TextPlace): string {
  const associated = associatedData(place);
  const nonce = createHmac("sha256", key)
    .update(associated)
    .update(`\0${place.record}\0`)
    .update(text)
    .digest()
    .subarray(0, nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(associated));
  const sealed = Buffer.concat([nonce, sealing.update(text, "utf8"), sealing.final(), sealing.getAuthTag()]);
  return `${prefix}${place.subject}:${sealed.toString("base64url")}`;
}

/** Bytes of a text of so many bytes when it is sealed. */
export function sealedBytes(textBytes: number, subject: string): number {
  const sealed = nonceBytes + textBytes + tagBytes;
  return prefix.length + subject.length + 1 + Math.ceil((sealed * 4) / 3);
}

/** The subject in a sealed text, or undefined for one that is stored as it is. */
export function subjectOfSealed(text: string): string | undefined {
  return text.startsWith(prefix) ? shape.exec(text)?.[1] : undefined;
}

/** Opens a sealed text. @throws SubjectKeyError it was sealed with another key, for somebody or something else, or is damaged. */
export function openText(sealed: string, key: Uint8Array, owner: TextOwner): string {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(":") + 1), "base64url");
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(associatedData(owner)))
      .setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const text = opening.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
    return Buffer.concat([text, opening.final()]).toString("utf8");
  } catch {
    throw new SubjectKeyError(
      `a sealed ${owner.field} does not open with the key of ${owner.subject}: the key or the text is another one`,
    );
  }
}

/** No part holds NUL: subjects and fields are ours, records are UUIDs or stream names. */
function associatedData({ subject, field }: TextOwner): string {
  return `${subject}\0${field}`;
}
