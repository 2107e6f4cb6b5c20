import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

import { erasedText, notAvailableText } from "@hostledger/core";

import type { KeyLoss, SubjectKey } from "./subject-keys.port.ts";

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

const prefix = "sealed:v2:";
/** The first form did not name its key. */
const shape =
  /^sealed:(?:v1:(?<oldSubject>[A-Za-z]+-[0-9]+)|v2:(?<subject>[A-Za-z]+-[0-9]+):(?<keyId>[A-Za-z0-9_-]{8})):[A-Za-z0-9_-]{38,}$/;
const keyIdCharacters = 8;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A key's name, which tells nothing about it: 48 bits, enough to tell the few keys apart that one person may ever have had. */
export function keyIdOf(key: Uint8Array): string {
  const name = createHmac("sha256", key).update("hostledger subject key id").digest("base64url");
  return name.slice(0, keyIdCharacters);
}

/**
 * Seals a text: `sealed:v2:<subject>:<key id>:<base64url(nonce ‖ ciphertext ‖ tag)>`. The nonce is an HMAC over place and text, so
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
  return `${prefix}${place.subject}:${keyIdOf(key)}:${sealed.toString("base64url")}`;
}

/** Bytes of a text of so many bytes when it is sealed. */
export function sealedBytes(textBytes: number, subject: string): number {
  const sealed = nonceBytes + textBytes + tagBytes;
  return prefix.length + subject.length + 1 + keyIdCharacters + 1 + Math.ceil((sealed * 4) / 3);
}

/** A sealed text: whose it is, and its key where it names it. */
export interface SealedText {
  readonly text: string;
  readonly subject: string;
  readonly keyId: string | undefined;
}

/** What a sealed text says of itself; undefined for one that is stored as it is. */
export function readSealed(text: string): SealedText | undefined {
  const found = text.startsWith("sealed:") ? shape.exec(text)?.groups : undefined;
  const subject = found?.subject ?? found?.oldSubject;
  return subject === undefined ? undefined : { text, subject, keyId: found?.keyId };
}

/** True for stored data that may hold a sealed text: what merely looks like one is found out when it is opened. */
export function mayHoldSealedText(data: string): boolean {
  return data.includes('"sealed:v');
}

/**
 * Opens a sealed text with its person's key, as far as there is one: `[erased]` where it was destroyed, `[not available]` where
 * it is missing or another one, or the text is damaged. That harms this text alone, and somebody hears of it.
 */
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

/** Opens a sealed text. @returns undefined where it was sealed with another key, for somebody or something else, or is damaged. */
export function openText(sealed: string, key: Uint8Array, owner: TextOwner): string | undefined {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(":") + 1), "base64url");
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(associatedData(owner)))
      .setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const text = opening.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
    return Buffer.concat([text, opening.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** No part holds NUL: subjects and fields are ours, records are UUIDs or stream names. */
function associatedData({ subject, field }: TextOwner): string {
  return `${subject}\0${field}`;
}
