import type { Map as PersistentMap } from "immutable";

import { accept, reject, type Decision, type DomainEvent } from "./decider.ts";

/** When a credential is good. Instants are ISO 8601 UTC with six fractional digits; without an end it does not expire. */
export interface CredentialTerm {
  readonly expiresAt?: string | null;
  readonly revokedAt?: string | null;
}

/** What a list of credentials, which is one stream, keeps of each. */
export interface ListedCredential extends CredentialTerm {
  readonly name: string;
  readonly credentialHash: string;
  readonly revokedAt?: string;
}

/** What a list is of, for its sentences, and how many names there may ever be: it is kept in memory. */
export interface CredentialListRules {
  readonly noun: string;
  readonly limit: number;
}

/** True while a credential is taken. One that expires is good before that instant, and no longer at it. */
export function isInForce({ expiresAt, revokedAt }: CredentialTerm, at: string): boolean {
  return (revokedAt ?? null) === null && !isOver(expiresAt, at);
}

function isOver(expiresAt: string | null | undefined, at: string): boolean {
  return typeof expiresAt === "string" && expiresAt <= at;
}

/** Puts a credential on a list, where each name has one in force at a time; a repeat of the same command adds nothing. */
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

/** Takes a credential off a list; one that is off already stays so. */
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
