import { createHash, timingSafeEqual } from "node:crypto";

import { status, type Metadata } from "@grpc/grpc-js";

import { Refusal, accessDenied } from "../codec/refusal.ts";

/** Who may write: a name and a password, as connection strings carry them. */
export interface NodeCredential {
  readonly username: string;
  readonly password: string;
}

/** Decides who may write. Everybody who reaches the node may read. */
export class Authority {
  readonly #digest: Buffer | undefined;
  readonly #open: boolean;

  /** @param open everybody may write. */
  constructor(credential: NodeCredential | undefined, open: boolean) {
    this.#digest =
      credential === undefined ? undefined : digest(`${credential.username}:${credential.password}`);
    this.#open = open;
  }

  /** @throws Refusal UNAUTHENTICATED when a credential is presented and is not the node's. */
  checkIdentity(metadata: Metadata): void {
    if (this.#open && this.#digest === undefined) return;
    if (presented(metadata) !== undefined && !this.#isKnown(metadata)) {
      throw new Refusal(status.UNAUTHENTICATED, "wrong user name or password", "access-denied");
    }
  }

  /** @throws Refusal PERMISSION_DENIED without the credential, UNAUTHENTICATED with a wrong one. */
  checkMayWrite(metadata: Metadata): void {
    this.checkIdentity(metadata);
    if (!this.#open && !this.#isKnown(metadata)) throw accessDenied();
  }

  #isKnown(metadata: Metadata): boolean {
    const given = presented(metadata);
    if (given === undefined || this.#digest === undefined) return false;
    return timingSafeEqual(digest(given), this.#digest);
  }
}

function presented(metadata: Metadata): string | undefined {
  const [header] = metadata.get("authorization");
  if (typeof header !== "string") return undefined;
  const [scheme, value] = header.split(" ");
  return scheme?.toLowerCase() === "basic" ? Buffer.from(value ?? "", "base64").toString("utf8") : "";
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
