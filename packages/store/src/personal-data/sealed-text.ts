import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

import { erasedText, notAvailableText } from "@hostledger/core";

import type { KeyLoss, SubjectKey } from "./subject-keys.port.ts";

/** Person and field of a text. The ciphertext is bound to both, so it does not open for another person or field. */
export interface TextOwner {
  readonly subject: string;
  readonly field: string;
}

/** Full place of a text. Opening needs no `record`, because read models copy sealed texts. */
export interface TextPlace extends TextOwner {
  /** Id of the event, or of another record with sealed texts. */
  readonly record: string;
}

const prefix = "sealed:v2:";
/** Version 1 does not contain the key's id. */
const shape =
  /^sealed:(?:v1:(?<oldSubject>[A-Za-z]+-[0-9]+)|v2:(?<subject>[A-Za-z]+-[0-9]+(?:-[0-9]{4})?):(?<keyId>[A-Za-z0-9_-]{8})):[A-Za-z0-9_-]{38,}$/;
const keyIdCharacters = 8;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Returns a key's id, which reveals nothing about the key. 48 bits distinguish the few keys that a person may have had. */
export function keyIdOf(key: Uint8Array): string {
  const name = createHmac("sha256", key).update("hostledger subject key id").digest("base64url");
  return name.slice(0, keyIdCharacters);
}

/**
 * Seals a text: `sealed:v2:<subject>:<key id>:<base64url(nonce ‖ ciphertext ‖ tag)>`. The nonce is an HMAC over place and
 * text. Sealing a text again at its place gives the same bytes, so repeated appends are equal. Different texts never share
 * a nonce.
 */
export function sealText(text: string, key: Uint8Array, place: TextPlace): string {
  const sealed = encrypted(Buffer.from(text), key, place);
  return `${prefix}${place.subject}:${keyIdOf(key)}:${sealed.toString("base64url")}`;
}

/** Encrypts content for its place: nonce ‖ ciphertext ‖ tag. */
export function encrypted(content: Uint8Array, key: Uint8Array, place: TextPlace): Buffer {
  const associated = associatedData(place);
  const nonce = createHmac("sha256", key)
    .update(associated)
    .update(`\0${place.record}\0`)
    .update(content)
    .digest()
    .subarray(0, nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(associated));
  return Buffer.concat([nonce, sealing.update(content), sealing.final(), sealing.getAuthTag()]);
}

export function sealedBytes(textBytes: number, subject: string): number {
  const sealed = nonceBytes + textBytes + tagBytes;
  return prefix.length + subject.length + 1 + keyIdCharacters + 1 + Math.ceil((sealed * 4) / 3);
}

/** A sealed text with its subject, and its key's id if it contains one. */
export interface SealedText {
  readonly text: string;
  readonly subject: string;
  readonly keyId: string | undefined;
}

/** Parses a sealed text; returns undefined for a plain text. */
export function readSealed(text: string): SealedText | undefined {
  const found = text.startsWith("sealed:") ? shape.exec(text)?.groups : undefined;
  const subject = found?.subject ?? found?.oldSubject;
  return subject === undefined ? undefined : { text, subject, keyId: found?.keyId };
}

/** Returns true if stored data may contain a sealed text; opening it gives certainty. */
export function mayHoldSealedText(data: string): boolean {
  return data.includes('"sealed:v');
}

/** Opens a sealed text. Returns `[erased]` for a destroyed key, and `[not available]` with a report for other losses. */
export function openSealed(
  sealed: SealedText,
  key: SubjectKey | undefined,
  field: string,
  onLoss?: (loss: KeyLoss) => void,
): string {
  if (key === "destroyed") return erasedText;
  const { subject, keyId } = sealed;
  const text = key === undefined ? undefined : openText(sealed.text, key, { subject, field });
  if (text !== undefined) return text;
  onLoss?.({ subject, keyId, reason: reasonOf(keyId, key) });
  return notAvailableText;
}

function reasonOf(keyId: string | undefined, key: Uint8Array | undefined): KeyLoss["reason"] {
  if (key === undefined) return "missing";
  return keyId === keyIdOf(key) ? "damaged" : "another";
}

/** Opens a sealed text. @returns undefined if the key, person or field is wrong, or the text is damaged. */
export function openText(sealed: string, key: Uint8Array, owner: TextOwner): string | undefined {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(":") + 1), "base64url");
  return decrypted(bytes, key, owner)?.toString("utf8");
}

/** Decrypts the result of `encrypted`. @returns undefined if the key or place is wrong, or the bytes are damaged. */
export function decrypted(bytes: Uint8Array, key: Uint8Array, owner: TextOwner): Buffer | undefined {
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(associatedData(owner)))
      .setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const text = opening.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
    return Buffer.concat([text, opening.final()]);
  } catch {
    return undefined;
  }
}

/** The separator NUL never occurs in subjects, fields and records. */
function associatedData({ subject, field }: TextOwner): string {
  return `${subject}\0${field}`;
}
