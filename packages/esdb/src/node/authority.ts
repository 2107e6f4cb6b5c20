import { createHash, timingSafeEqual } from "node:crypto";

import { status, type Metadata } from "@grpc/grpc-js";

import { Refusal, accessDenied } from "../codec/refusal.ts";
import { categoryOf } from "./link-source.ts";

/** Who may write: a name and a password, as connection strings carry them. */
export interface NodeCredential {
  readonly username: string;
  readonly password: string;
}

/** What a user may read: streams of these categories, or every stream. */
export type ReadableCategories = readonly string[] | "all";

/** Finds a user who may read; undefined when there is none of that name and password. It is asked again and again. */
export type FindReader = (credential: NodeCredential) => Promise<ReadableCategories | undefined>;

/** Who may do what on a node. */
export interface AuthorityOptions {
  /** May write and read everything. */
  readonly credential?: NodeCredential | undefined;
  /** Default: there are no users besides. */
  readonly findReader?: FindReader | undefined;
  /** `anyone`: everybody may write. */
  readonly writers?: "credential" | "anyone" | undefined;
  /** `anyone` (the default): everybody may read everything, and a user what the user may. */
  readonly readers?: "credentials" | "anyone" | undefined;
}

/** What the caller of one call may read. */
export interface ReadAccess {
  /** Every stream, the system's too. */
  readonly isWhole: boolean;
  mayRead(stream: string): boolean;
  /** For a reading that goes on for long. @throws Refusal the user was revoked meanwhile. */
  recheck(): Promise<void>;
}

const whole: ReadAccess = { isWhole: true, mayRead: () => true, recheck: () => Promise.resolve() };

/** Longest credential that is looked at, in characters. */
const credentialLimit = 1_024;

/** Decides who may read and who may write. */
export class Authority {
  readonly #digest: Buffer | undefined;
  readonly #findReader: FindReader;
  readonly #anyoneWrites: boolean;
  readonly #anyoneReads: boolean;

  constructor({ credential, findReader, writers, readers }: AuthorityOptions) {
    this.#digest =
      credential === undefined ? undefined : digest(`${credential.username}:${credential.password}`);
    this.#findReader = findReader ?? (() => Promise.resolve(undefined));
    this.#anyoneWrites = writers === "anyone";
    this.#anyoneReads = readers !== "credentials";
  }

  /** @throws Refusal UNAUTHENTICATED when a credential is presented and is nobody's. */
  async checkIdentity(metadata: Metadata): Promise<void> {
    if (presented(metadata) !== undefined) await this.readerOf(metadata);
  }

  /** @throws Refusal PERMISSION_DENIED without a credential where one is asked for, UNAUTHENTICATED with a wrong one. */
  async readerOf(metadata: Metadata): Promise<ReadAccess> {
    const given = presented(metadata);
    if (given === undefined) {
      if (this.#anyoneReads) return whole;
      throw accessDenied();
    }
    if (this.#isKnown(given)) return whole;
    const credential = credentialOf(given);
    const categories = credential === undefined ? undefined : await this.#findReader(credential);
    if (credential !== undefined && categories !== undefined) return this.#limited(credential, categories);
    // Where nobody is asked for a credential, one that is shown all the same means nothing.
    if (this.#anyoneReads && this.#anyoneWrites && this.#digest === undefined) return whole;
    throw wrongCredential();
  }

  /** @throws Refusal as `readerOf`, and PERMISSION_DENIED for who may not read every stream. */
  async checkReadsWhole(metadata: Metadata): Promise<void> {
    if (!(await this.readerOf(metadata)).isWhole) throw accessDenied();
  }

  /** @throws Refusal PERMISSION_DENIED without the credential, UNAUTHENTICATED with a wrong one. */
  checkMayWrite(metadata: Metadata): void {
    const given = presented(metadata);
    if (given !== undefined && this.#isKnown(given)) return;
    if (this.#anyoneWrites && (given === undefined || this.#digest === undefined)) return;
    throw given === undefined ? accessDenied() : wrongCredential();
  }

  #isKnown(given: string): boolean {
    return this.#digest !== undefined && timingSafeEqual(digest(given), this.#digest);
  }

  #limited(credential: NodeCredential, categories: ReadableCategories): ReadAccess {
    const recheck = async (): Promise<void> => {
      if ((await this.#findReader(credential)) === undefined) throw accessDenied();
    };
    if (categories === "all") return { ...whole, recheck };
    const readable = new Set(categories);
    return {
      isWhole: false,
      mayRead: (stream) => readable.has(readCategoryOf(stream) ?? ""),
      recheck,
    };
  }
}

/** The category whose facts a stream shows: its own, that of its metadata, or that which it links. */
function readCategoryOf(stream: string): string | undefined {
  if (stream.startsWith("$ce-")) return stream.slice("$ce-".length);
  return categoryOf(stream.startsWith("$$") ? stream.slice(2) : stream);
}

function presented(metadata: Metadata): string | undefined {
  const [header] = metadata.get("authorization");
  if (typeof header !== "string") return undefined;
  const [scheme, value] = header.split(" ");
  return scheme?.toLowerCase() === "basic" ? Buffer.from(value ?? "", "base64").toString("utf8") : "";
}

function credentialOf(given: string): NodeCredential | undefined {
  const colon = given.indexOf(":");
  if (colon < 1 || given.length > credentialLimit) return undefined;
  return { username: given.slice(0, colon), password: given.slice(colon + 1) };
}

function wrongCredential(): Refusal {
  return new Refusal(status.UNAUTHENTICATED, "wrong user name or password", "access-denied");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
