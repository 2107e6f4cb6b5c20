import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/**
 * Writes the id of an order into the code of the name that it creates, so that the registry itself tells which order it was:
 * the code is the id, encrypted. To anybody without the key it is as good as random (RFC 9154 §4); the same order gets the
 * same code, in every process that has the key.
 */
export class OrderSeal {
  readonly #macKey: Buffer;
  readonly #cipherKey: Buffer;

  /** @param secret what every process that talks to the registry has, and nobody else. */
  constructor(secret: string) {
    const derived = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.#macKey = derived("hostledger epp order: authentication");
    this.#cipherKey = derived("hostledger epp order: encryption");
  }

  /**
   * The code for a name that the order creates: 32 characters of `A-Z a-z 0-9 - _` for a UUID, and at least one letter, digit and
   * special character, as registries want it (Identity Digital, AuthInfo Code Format Policy: 8 to 32 characters, one of each).
   */
  seal(name: string, orderId: string): string {
    const content = pack(orderId);
    for (const attempt of attempts) {
      const code = this.#sealed(name, content, attempt);
      if (wanted.every((kind) => kind.test(code))) return code;
    }
    throw new Error("no code has what registries want: that cannot be by chance");
  }

  /** The order whose code it is; undefined for a code that was not made here, for this name. */
  open(name: string, code: string): string | undefined {
    const bytes = Buffer.from(code, "base64url");
    if (bytes.length <= tagBytes || bytes.toString("base64url") !== code) return undefined;
    const tag = bytes.subarray(0, tagBytes);
    const decipher = createDecipheriv("aes-256-ctr", this.#cipherKey, nonceOf(tag));
    const content = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]);
    const isOurs = attempts.some((attempt) => timingSafeEqual(tag, this.#tag(name, content, attempt)));
    return isOurs ? unpack(content) : undefined;
  }

  #sealed(name: string, content: Uint8Array, attempt: number): string {
    const tag = this.#tag(name, content, attempt);
    const cipher = createCipheriv("aes-256-ctr", this.#cipherKey, nonceOf(tag));
    return Buffer.concat([tag, cipher.update(content), cipher.final()]).toString("base64url");
  }

  /** It stands for the content, so that it is the nonce, too (as in SIV, RFC 5297): no two contents share one. */
  #tag(name: string, content: Uint8Array, attempt: number): Buffer {
    return createHmac("sha256", this.#macKey)
      .update(attempt === 0 ? `${name}\n` : `${name} ${String(attempt)}\n`)
      .update(content)
      .digest()
      .subarray(0, tagBytes);
  }
}

/** One in three codes has no special character by chance: the first is taken that has one. */
const attempts = Array.from({ length: 64 }, (_, attempt) => attempt);
const wanted = [/[A-Za-z]/, /[0-9]/, /[-_]/];

/** As short as a registry wants it that takes 32 characters. */
const tagBytes = 8;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidBytes = 16;

function nonceOf(tag: Uint8Array): Buffer {
  return Buffer.concat([tag, Buffer.alloc(8)]);
}

/** A UUID as its bytes; another id as text, which is never so long by a byte in front where it would be. */
function pack(orderId: string): Buffer {
  if (uuid.test(orderId)) return Buffer.from(orderId.replaceAll("-", ""), "hex");
  const text = Buffer.from(orderId, "utf8");
  return text.length === uuidBytes ? Buffer.concat([Buffer.from([0]), text]) : text;
}

function unpack(content: Buffer): string {
  if (content.length === uuidBytes)
    return content.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return content.toString("utf8", content[0] === 0 ? 1 : 0);
}
