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
 * Encrypts an order's id into the authInfo of its domain, so that the registry itself shows which order created the
 * domain. Without the key the authInfo looks random (RFC 9154 §4). An order gets the same authInfo in every process
 * with the key.
 */
export class OrderSeal {
  readonly #macKey: Buffer;
  readonly #cipherKey: Buffer;
  /** Forms of order ids with the installation's part, and of other ids. */
  readonly #ownForms: readonly Form[];
  readonly #knowsPlainIds: boolean;

  /** @param secret of all processes with access to the registry @param installation whose orders are recognised */
  constructor(secret: string, { part, knowsPlainIds }: Pick<NamedInstallation, "part" | "knowsPlainIds">) {
    this.#ownForms = categories.flatMap((category) => ownFormsOf(`${category}-${part}`));
    this.#knowsPlainIds = knowsPlainIds;
    const derived = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.#macKey = derived("hostledger epp order: authentication");
    this.#cipherKey = derived("hostledger epp order: encryption");
  }

  /**
   * Returns the authInfo of an order: 32 characters of `A-Z a-z 0-9 - _` for a run's id or UUID, with at least one
   * letter, digit and special character, as registries require (Identity Digital, AuthInfo Code Format Policy: 8 to 32
   * characters, one of each).
   */
  seal(name: string, orderId: string): string {
    const { mark, content } = packed([...this.#ownForms, ...plainFormsOfRuns], orderId);
    const code = this.#tried(name, mark, content).find(isWanted);
    if (code === undefined) throw new Error("no code has what registries want: that cannot be by chance");
    return code;
  }

  /** Returns an authInfo without an order, equal for equal text, with the usual length. */
  sealNone(name: string, text: string): string {
    const digest = createHash("sha256").update(text).digest().subarray(0, uuidBytes);
    return this.seal(name, uuidOf(digest));
  }

  /** Returns the order in an authInfo; undefined unless made here for this domain. */
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

  /** Yields candidates up to the first that registries accept; earlier versions always used the first. */
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

  /** The tag depends on the content and serves as nonce, so it never repeats (as in SIV, RFC 5297). */
  #tag(about: string, content: Uint8Array): Buffer {
    return createHmac("sha256", this.#macKey).update(about).update(content).digest().subarray(0, tagBytes);
  }
}

/** Maximum candidates; one in three contains no special character by chance. */
const attemptLimit = 64;
const isWanted = (code: string): boolean => /[A-Za-z]/.test(code) && /[0-9]/.test(code) && /[-_]/.test(code);

/** Length of the tag, short because some registries accept only 32 characters. */
const tagBytes = 8;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidBytes = 16;

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function nonceOf(tag: Uint8Array): Buffer {
  return Buffer.concat([tag, Buffer.alloc(8)]);
}

interface Form {
  /** Prefix of the tag that identifies the form, so that the content need not. */
  readonly mark: string;
  /** Returns undefined for ids of another form. */
  readonly pack: (orderId: string) => Buffer | undefined;
  readonly unpack: (content: Buffer) => string;
}

/** Forms of run ids: category plus UUID or number, with as many bytes, so that authInfo are equally hard to guess. */
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

/** Forms of run ids with the installation's part; operations may have ids of any form. */
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

/** Run ids of earlier versions, without the installation's part. */
const plainFormsOfRuns = categories.flatMap(formsOfRuns);

/** Forms in order of attempts; before special forms existed, run ids were packed like any other id. */
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

/** Returns the suffix of a name for the tag; unambiguous, because names contain no spaces. */
function variantOf(mark: string, attempt: number): string {
  if (mark !== "") return ` ${String(attempt)} ${mark}`;
  return attempt === 0 ? "" : ` ${String(attempt)}`;
}

function uuidOf(content: Buffer): string {
  return content.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Packs a UUID as 16 bytes and other ids as text; a text of 16 bytes gets a leading zero. */
function pack(orderId: string): Buffer {
  if (uuid.test(orderId)) return Buffer.from(orderId.replaceAll("-", ""), "hex");
  const text = Buffer.from(orderId, "utf8");
  return text.length === uuidBytes ? Buffer.concat([Buffer.from([0]), text]) : text;
}

function unpack(content: Buffer): string {
  if (content.length === uuidBytes) return uuidOf(content);
  return content.toString("utf8", content[0] === 0 ? 1 : 0);
}
