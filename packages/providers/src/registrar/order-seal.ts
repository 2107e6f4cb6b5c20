import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";

import { registration, transferIn, type NamedInstallation } from "@hostledger/core";

/**
 * Writes the id of an order into the code of the name that it creates, so that the registry itself tells which order it was:
 * the code is the id, encrypted. To anybody without the key it is as good as random (RFC 9154 §4); the same order gets the
 * same code, in every process that has the key.
 */
export class OrderSeal {
  readonly #macKey: Buffer;
  readonly #cipherKey: Buffer;
  /** For codes of orders that have the installation's part in their ids, and of others. */
  readonly #ownForms: readonly Form[];
  readonly #knowsPlainIds: boolean;

  /**
   * @param secret what every process that talks to the registry has, and nobody else.
   * @param installation whose orders are told by their codes: another installation with the same login has the same secret.
   */
  constructor(secret: string, { part, knowsPlainIds }: Pick<NamedInstallation, "part" | "knowsPlainIds">) {
    this.#ownForms = categories.flatMap((category) => ownFormsOf(`${category}-${part}`));
    this.#knowsPlainIds = knowsPlainIds;
    const derived = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.#macKey = derived("hostledger epp order: authentication");
    this.#cipherKey = derived("hostledger epp order: encryption");
  }

  /**
   * The code for a name that the order creates: 32 characters of `A-Z a-z 0-9 - _` for the id of a run or a UUID, and at least one
   * letter, digit and special character, as registries want it (Identity Digital, AuthInfo Code Format Policy: 8 to 32 characters,
   * one of each).
   */
  seal(name: string, orderId: string): string {
    const { mark, content } = packed([...this.#ownForms, ...plainFormsOfRuns], orderId);
    const code = this.#tried(name, mark, content).find(isWanted);
    if (code === undefined) throw new Error("no code has what registries want: that cannot be by chance");
    return code;
  }

  /** A code that tells no order: always the same one for what it is made of, and as long. */
  sealNone(name: string, text: string): string {
    const digest = createHash("sha256").update(text).digest().subarray(0, uuidBytes);
    return this.seal(name, uuidOf(digest));
  }

  /** The order whose code it is; undefined for a code that was not made here, for this name. */
  open(name: string, code: string): string | undefined {
    const bytes = Buffer.from(code, "base64url");
    if (bytes.length <= tagBytes || bytes.toString("base64url") !== code) return undefined;
    const tag = bytes.subarray(0, tagBytes);
    const decipher = createDecipheriv("aes-256-ctr", this.#cipherKey, nonceOf(tag));
    const content = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]);
    const forms = [...this.#ownForms, ...(this.#knowsPlainIds ? plainForms : [])];
    const form = forms.find(({ mark }) =>
      this.#tried(name, mark, content).some((tried) => isSame(tried, code)),
    );
    return form?.unpack(content);
  }

  /** The codes of an order, up to the first that has what registries want; before that was known, the very first was taken. */
  *#tried(name: string, mark: string, content: Uint8Array): Generator<string, void> {
    for (let attempt = 0; attempt < attemptLimit; attempt += 1) {
      const code = this.#sealed(`${name}${variantOf(mark, attempt)}\n`, content);
      yield code;
      if (isWanted(code)) return;
    }
  }

  #sealed(about: string, content: Uint8Array): string {
    const tag = this.#tag(about, content);
    const cipher = createCipheriv("aes-256-ctr", this.#cipherKey, nonceOf(tag));
    return Buffer.concat([tag, cipher.update(content), cipher.final()]).toString("base64url");
  }

  /** It stands for the content, so that it is the nonce, too (as in SIV, RFC 5297): no two contents share one. */
  #tag(about: string, content: Uint8Array): Buffer {
    return createHmac("sha256", this.#macKey).update(about).update(content).digest().subarray(0, tagBytes);
  }
}

/** One in three codes has no special character by chance: the first is taken that has one. */
const attemptLimit = 64;
const isWanted = (code: string): boolean => /[A-Za-z]/.test(code) && /[0-9]/.test(code) && /[-_]/.test(code);

/** As short as a registry wants it that takes 32 characters. */
const tagBytes = 8;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidBytes = 16;

/** In a time that does not tell how much of it is right. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function nonceOf(tag: Uint8Array): Buffer {
  return Buffer.concat([tag, Buffer.alloc(8)]);
}

/** How an id is written in a code. */
interface Form {
  /** What the tag says of the form, so that the content need not. */
  readonly mark: string;
  /** Undefined for an id of another form. */
  readonly pack: (orderId: string) => Buffer | undefined;
  readonly unpack: (content: Buffer) => string;
}

/** Ids of a process's runs: its category, and then a UUID or a number. A number has as many bytes, so that a code is as hard to guess. */
function formsOfRuns(category: string): readonly Form[] {
  const prefix = `${category}-`;
  const form = (
    mark: string,
    pattern: RegExp,
    hexOf: (id: string) => string,
    idOf: Form["unpack"],
  ): Form => ({
    mark,
    pack(orderId) {
      const id = orderId.slice(prefix.length);
      return orderId.startsWith(prefix) && pattern.test(id) ? Buffer.from(hexOf(id), "hex") : undefined;
    },
    unpack: (content) => prefix + idOf(content),
  });
  const padded = (id: string): string =>
    BigInt(id)
      .toString(16)
      .padStart(2 * uuidBytes, "0");
  const numberOf = (content: Buffer): string => String(BigInt(`0x${content.toString("hex")}`));
  return [
    form(prefix, uuid, (id) => id.replaceAll("-", ""), uuidOf),
    form(`${prefix}#`, /^[1-9]\d{0,15}$/, padded, numberOf),
  ];
}

/** An operation may have an id of any form. */
function ownFormsOf(category: string): readonly Form[] {
  const prefix = `${category}-`;
  return [
    ...formsOfRuns(category),
    {
      mark: `${prefix}~`,
      pack: (orderId) => (orderId.startsWith(prefix) ? pack(orderId.slice(prefix.length)) : undefined),
      unpack: (content) => prefix + unpack(content),
    },
  ];
}

const categories = [registration, transferIn].map(({ category }) => category);

/** Earlier versions gave runs ids without the installation's part. */
const plainFormsOfRuns = categories.flatMap(formsOfRuns);

/** A code is taken to be of the first form whose mark its tag has; ids of runs were written like any other id before. */
const plainForms: readonly Form[] = [...plainFormsOfRuns, { mark: "", pack, unpack }];

function packed(
  forms: readonly Form[],
  orderId: string,
): { readonly mark: string; readonly content: Buffer } {
  for (const { mark, pack: packAs } of forms) {
    const content = packAs(orderId);
    if (content !== undefined) return { mark, content };
  }
  return { mark: "", content: pack(orderId) };
}

/** Names have no spaces in them, and marks no digit in front: no two of these are the same behind a name. */
function variantOf(mark: string, attempt: number): string {
  if (mark !== "") return ` ${String(attempt)} ${mark}`;
  return attempt === 0 ? "" : ` ${String(attempt)}`;
}

function uuidOf(content: Buffer): string {
  return content.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A UUID as its bytes; another id as text, which is never so long by a byte in front where it would be. */
function pack(orderId: string): Buffer {
  if (uuid.test(orderId)) return Buffer.from(orderId.replaceAll("-", ""), "hex");
  const text = Buffer.from(orderId, "utf8");
  return text.length === uuidBytes ? Buffer.concat([Buffer.from([0]), text]) : text;
}

function unpack(content: Buffer): string {
  if (content.length === uuidBytes) return uuidOf(content);
  return content.toString("utf8", content[0] === 0 ? 1 : 0);
}
