import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";

import { sha256 } from "./hash.ts";

export type NoteErrorCode = "malformed" | "malformed-key" | "unknown-key" | "bad-signature";

/** A note, a checkpoint or a key is refused. The message is a sentence. */
export class NoteError extends Error {
  override readonly name = "NoteError";
  readonly code: NoteErrorCode;

  constructor(code: NoteErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface NoteVerifier {
  readonly name: string;
  /** First four bytes of the hash of name and key, as 8 hex digits. */
  readonly keyId: string;
  /** `name+keyId+base64`, for publication. */
  readonly verifierKey: string;
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array;
  verify(text: Uint8Array, signature: Uint8Array): boolean;
}

export interface NoteSigner {
  readonly name: string;
  readonly keyId: string;
  readonly verifierKey: string;
  /** `PRIVATE+KEY+name+keyId+base64`, a secret. */
  readonly privateKey: string;
  sign(text: Uint8Array): Uint8Array;
}

const ed25519 = 1;
const privatePrefix = "PRIVATE+KEY+";
/** Bytes before the 32 bytes of a key in PKCS #8 and SubjectPublicKeyInfo (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiHead = Buffer.from("302a300506032b6570032100", "hex");

/** Generates a key for a log. @throws NoteError if the name contains spaces or plus signs */
export function generateSigner(name: string): NoteSigner {
  const { privateKey } = generateKeyPairSync("ed25519");
  return signerOf(name, privateKey);
}

/** Reads a private key. @throws NoteError `malformed-key` */
export function parseSignerKey(text: string): NoteSigner {
  if (!text.startsWith(privatePrefix)) throw malformedKey();
  const { name, keyId, key } = splitKey(text.slice(privatePrefix.length));
  const der = Buffer.concat([pkcs8Head, key]);
  const signer = signerOf(name, createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  if (signer.keyId !== keyId) throw malformedKey();
  return signer;
}

/** Reads a verifier key, `name+keyId+base64`. @throws NoteError `malformed-key` */
export function parseVerifierKey(text: string): NoteVerifier {
  const { name, keyId, key } = splitKey(text);
  if (keyIdOf(name, key) !== keyId) throw malformedKey();
  const publicKey = createPublicKey({ key: Buffer.concat([spkiHead, key]), format: "der", type: "spki" });
  return {
    name,
    keyId,
    verifierKey: text,
    publicKey: key,
    verify: (message, signature) => signature.length === 64 && verify(null, message, publicKey, signature),
  };
}

/** Returns true for a valid name in a signature line. */
export function isKeyName(name: string): boolean {
  // Go's unicode.IsSpace includes U+0085, which \s lacks; \s also refuses U+FEFF.
  return name !== "" && name.isWellFormed() && !/[\s\u0085+]/u.test(name) && !hasControls(name);
}

/** Returns true for ASCII control characters other than the newline. */
export function hasControls(text: string): boolean {
  return /[\u0000-\u0009\u000b-\u001f]/u.test(text);
}

/** Decodes standard base64 with padding; undefined if the text is not canonical. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function signerOf(name: string, privateKey: KeyObject): NoteSigner {
  if (!isKeyName(name)) throw new NoteError("malformed-key", "A log's name has no spaces and no plus sign.");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(pkcs8Head.length);
  const publicKey = createPublicKey(privateKey)
    .export({ format: "der", type: "spki" })
    .subarray(spkiHead.length);
  const keyId = keyIdOf(name, publicKey);
  return {
    name,
    keyId,
    verifierKey: `${name}+${keyId}+${encodeKey(publicKey)}`,
    privateKey: `${privatePrefix}${name}+${keyId}+${encodeKey(seed)}`,
    sign: (message) => sign(null, message, privateKey),
  };
}

function splitKey(text: string): { name: string; keyId: string; key: Buffer } {
  const [name, keyId, ...rest] = text.split("+");
  // Base64 may contain plus signs.
  const bytes = decodeBase64(rest.join("+"));
  if (name === undefined || !isKeyName(name) || keyId === undefined || !/^[0-9a-f]{8}$/u.test(keyId))
    throw malformedKey();
  if (bytes?.length !== 33 || bytes[0] !== ed25519) throw malformedKey();
  return { name, keyId, key: bytes.subarray(1) };
}

function encodeKey(key: Uint8Array): string {
  return Buffer.concat([Buffer.of(ed25519), key]).toString("base64");
}

function keyIdOf(name: string, publicKey: Uint8Array): string {
  const hash = sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519), publicKey]));
  return Buffer.from(hash.subarray(0, 4)).toString("hex");
}

// Omits the key from the message, because it may be private.
function malformedKey(): NoteError {
  return new NoteError("malformed-key", "The key is not an Ed25519 note key in the form name+id+base64.");
}
