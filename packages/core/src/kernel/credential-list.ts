import type { Map as PersistentMap } from "immutable";

import { accept, reject, type Decision, type DomainEvent } from "./decider.ts";

/** Term of a credential. Instants are ISO 8601 UTC with six fractional digits; without `expiresAt` it never expires. */
export interface CredentialTerm {
  readonly expiresAt?: string | null;
  readonly revokedAt?: string | null;
}

/** A credential in a list of credentials, which is one stream. */
export interface ListedCredential extends CredentialTerm {
  readonly name: string;
  readonly credentialHash: string;
  readonly revokedAt?: string;
}

/** `noun` is used in sentences; `limit` is the maximum number of names, because the whole list stays in memory. */
export interface CredentialListRules {
  readonly noun: string;
  readonly limit: number;
}

/** Returns true if a credential is valid at an instant; it is no longer valid at `expiresAt` itself. */
export function isInForce({ expiresAt, revokedAt }: CredentialTerm, at: string): boolean {
  return (revokedAt ?? null) === null && !isOver(expiresAt, at);
}

function isOver(expiresAt: string | null | undefined, at: string): boolean {
  return typeof expiresAt === "string" && expiresAt <= at;
}

/** Adds a credential to a list. Each name has one valid credential at a time; repeating a command adds no event. */
export function listCredential<const Event extends DomainEvent>(
  list: PersistentMap<string, ListedCredential>,
  wanted: ListedCredential & { readonly at: string },
  { noun, limit }: CredentialListRules,
  fact: () => Event,
): Decision<Event> {
  const { name, credentialHash, expiresAt, at } = wanted;
  const known = list.get(name);
  if (known !== undefined && isInForce(known, at))
    return known.credentialHash === credentialHash
      ? accept()
      : reject("validation-failed", `There is a ${noun} ${name} already: revoke it first.`);
  if (isOver(expiresAt, at)) return reject("validation-failed", `The ${noun} would have expired already.`);
  if (known === undefined && list.size >= limit)
    return reject("validation-failed", `There are ${String(limit)} ${noun}s, revoked ones too.`);
  return accept(fact());
}

/** Revokes a listed credential; revoking it again adds no event. */
export function unlistCredential<const Event extends DomainEvent>(
  list: PersistentMap<string, ListedCredential>,
  name: string,
  { noun }: CredentialListRules,
  fact: () => Event,
): Decision<Event> {
  const known = list.get(name);
  if (known === undefined) return reject("not-found", `There is no ${noun} ${name}.`);
  return (known.revokedAt ?? null) === null ? accept(fact()) : accept();
}
