import { createHash, timingSafeEqual } from "node:crypto";

import { status, type Metadata } from "@grpc/grpc-js";

import { Refusal, accessDenied } from "../codec/refusal.ts";
import { categoryOf } from "./link-source.ts";

/** A writer's name and password, as in connection strings. */
export interface NodeCredential {
  readonly username: string;
  readonly password: string;
}

/** Streams that a user may read: those of some categories, or all. */
export type ReadableCategories = readonly string[] | "all";

/** Finds a reader by name and password; undefined if there is none. Called again for each request. */
export type FindReader = (credential: NodeCredential) => Promise<ReadableCategories | undefined>;

/** Permissions of a node's callers. */
export interface AuthorityOptions {
  /** Credential that may write and read everything. */
  readonly credential?: NodeCredential | undefined;
  /** Default: no other users. */
  readonly findReader?: FindReader | undefined;
  /** `anyone`: all callers may write. */
  readonly writers?: "credential" | "anyone" | undefined;
  /** `anyone` (default): all callers may read everything, except that users only read their own categories. */
  readonly readers?: "credentials" | "anyone" | undefined;
}

/** Streams that the caller of one call may read. */
export interface ReadAccess {
  /** True for all streams, system streams included. */
  readonly isWhole: boolean;
  mayRead(stream: string): boolean;
  /** Checks the permission again during a long read. @throws Refusal if the user was revoked meanwhile. */
  recheck(): Promise<void>;
}

const whole: ReadAccess = { isWhole: true, mayRead: () => true, recheck: () => Promise.resolve() };

/** Maximum characters of a credential. */
const credentialLimit = 1_024;

/** Decides about the permissions of callers. */
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

  /** @throws Refusal UNAUTHENTICATED for an unknown credential. */
  async checkIdentity(metadata: Metadata): Promise<void> {
    if (presented(metadata) !== undefined) await this.readerOf(metadata);
  }

  /** @throws Refusal PERMISSION_DENIED if a required credential is missing, UNAUTHENTICATED if it is wrong. */
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
    // If no credential is required, a shown credential is ignored.
    if (this.#anyoneReads && this.#anyoneWrites && this.#digest === undefined) return whole;
    throw wrongCredential();
  }

  /** @throws Refusal as `readerOf`, and PERMISSION_DENIED if the caller may not read every stream. */
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

/** Category of the events that a stream shows: its own, that of its metadata, or that of its links. */
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
