import { Map as PersistentMap, Set as PersistentSet } from "immutable";

import { dayOf } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { isInForce, isOver, type CredentialTerm } from "../kernel/credential-term.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
  type DomainEvent,
} from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";

/** A credential to issue. `Grant` is what the credential opens, and for whom. */
export type WantedCredential<Grant> = Grant & {
  /** Name by which the credential is found and revoked; an auditor's is a number. */
  readonly name: string;
  /** SHA-256 of the secret in hex; the secret itself is shown once and stored nowhere. */
  readonly credentialHash: string;
  /** The credential is refused from this instant on; null if it never expires. */
  readonly expiresAt: string | null;
};

export type IssuedCredential<Grant> = WantedCredential<Grant> & { readonly issuedAt: string };

export type Credential<Grant> = IssuedCredential<Grant> & CredentialTerm;

/** A call that a holder makes, recorded for kinds with `used`. */
export interface CredentialUse {
  readonly method: string;
  readonly subject: string;
}

export type CredentialCommand<Grant> =
  | Command<"IssueCredential", { readonly wanted: WantedCredential<Grant> }>
  /** Checks a shown credential; records the use, with `isOncePerDay` only the first of a UTC day. */
  | Command<
      "UseCredential",
      CredentialUse & {
        readonly name: string;
        readonly credentialHash: string;
        readonly isOncePerDay?: boolean;
      }
    >
  | Command<"RevokeCredential", { readonly name: string }>;

/** All credentials ever issued in a stream, by the kind's key of their names. */
export interface CredentialsState<Grant> {
  readonly credentials: PersistentMap<string, Credential<Grant>>;
  /** Uses recorded on the last UTC day of use. */
  readonly lastDay: { readonly day: string; readonly uses: PersistentSet<string> };
}

/** What an event changes in the list. */
export type CredentialChange<Grant> =
  | { readonly change: "issued"; readonly credential: IssuedCredential<Grant> }
  | { readonly change: "used"; readonly name: string; readonly use: CredentialUse; readonly at: string }
  | { readonly change: "revoked"; readonly name: string; readonly at: string };

/** A kind of credential: its words, its limit, its own rules and the stored form of its events. */
export interface CredentialKind<Grant, Event extends DomainEvent> {
  /** Used in sentences, as is `secret`; default of `secret`: the noun. */
  readonly noun: string;
  readonly secret?: string;
  /** Maximum names, revoked ones included, because the whole list stays in memory. */
  readonly limit: number;
  /** True if names that differ only in case are one name. */
  readonly ignoresCase?: boolean;
  /** True if names are numbers, which sentences do not repeat. */
  readonly isNumbered?: boolean;
  /** Returns a sentence if the kind's own rules refuse to issue or to revoke. */
  readonly issueFault?: (
    wanted: WantedCredential<Grant>,
    state: CredentialsState<Grant>,
  ) => string | undefined;
  readonly revokeFault?: (
    credential: Credential<Grant>,
    state: CredentialsState<Grant>,
  ) => string | undefined;
  readonly issued: (credential: IssuedCredential<Grant>) => Event;
  readonly revoked: (name: string, at: string) => Event;
  /** Absent for kinds whose uses are not recorded. */
  readonly used?: (name: string, use: CredentialUse, at: string) => Event;
  readonly changeOf: (event: Event) => CredentialChange<Grant>;
}

/** Rules of every list of credentials: each name has one valid credential at a time, which expires or is revoked for good. */
export function credentialDecider<Grant extends object, Event extends DomainEvent>(
  kind: CredentialKind<Grant, Event>,
): Decider<CredentialCommand<Grant>, CredentialsState<Grant>, Event> {
  return {
    initialState: { credentials: PersistentMap(), lastDay: { day: "", uses: PersistentSet() } },
    decide(command, state) {
      switch (command.type) {
        case "IssueCredential":
          return issue(kind, command.data, state);
        case "UseCredential":
          return use(kind, command.data, state);
        case "RevokeCredential":
          return revoke(kind, command.data, state);
        default:
          return assertNever(command);
      }
    },
    evolve: (state, event) => evolve(kind, state, event),
  };
}

export function credentialNamed<Grant, Event extends DomainEvent>(
  { ignoresCase = false }: Pick<CredentialKind<Grant, Event>, "ignoresCase">,
  { credentials }: Pick<CredentialsState<Grant>, "credentials">,
  name: string,
): Credential<Grant> | undefined {
  return credentials.get(ignoresCase ? name.toLowerCase() : name);
}

/** Finds a credential by the hash of its secret. */
export function credentialOf<Grant>(
  { credentials }: Pick<CredentialsState<Grant>, "credentials">,
  credentialHash: string,
): Credential<Grant> | undefined {
  return credentials.find((each) => each.credentialHash === credentialHash);
}

/**
 * Returns why a credential is refused; undefined if it is valid. A wrong secret gets no information about the credential.
 * @param shownHash hash of the shown secret
 */
export function credentialRefusal<Grant>(
  { noun, secret = noun }: Pick<CredentialKind<Grant, never>, "noun" | "secret">,
  credential: Credential<Grant> | undefined,
  { shownHash, at }: { readonly shownHash: string; readonly at: string },
): Rejection | undefined {
  if (credential?.credentialHash !== shownHash)
    return rejection("unauthenticated", `There is no such ${secret}.`);
  const { revokedAt, expiresAt } = credential;
  if (revokedAt !== null) return rejection("unauthenticated", `The ${secret} was revoked at ${revokedAt}.`);
  if (expiresAt !== null && isOver(expiresAt, at))
    return rejection("unauthenticated", `The ${secret} expired at ${expiresAt}.`);
  return undefined;
}

function issue<Grant, Event extends DomainEvent>(
  kind: CredentialKind<Grant, Event>,
  { wanted, at }: { readonly wanted: WantedCredential<Grant>; readonly at: string },
  state: CredentialsState<Grant>,
): Decision<Event> {
  const { noun, secret = noun, limit } = kind;
  const known = credentialNamed(kind, state, wanted.name);
  // Only a repeat of this command finds the hash, because secrets are never reused.
  if (known?.credentialHash === wanted.credentialHash) return accept();
  if (known !== undefined && isInForce(known, at))
    return reject("validation-failed", `There is a ${noun} ${known.name} already: revoke it first.`);
  if (isOver(wanted.expiresAt, at))
    return reject("validation-failed", `The ${secret} would have expired already.`);
  const fault = kind.issueFault?.(wanted, state);
  if (fault !== undefined) return reject("validation-failed", fault);
  if (known === undefined && state.credentials.size >= limit)
    return reject("validation-failed", `There are ${String(limit)} ${secret}s, revoked ones too.`);
  return accept(kind.issued({ ...wanted, issuedAt: at }));
}

function use<Grant, Event extends DomainEvent>(
  kind: CredentialKind<Grant, Event>,
  { name, credentialHash, at, isOncePerDay = false, method, subject }: UseData,
  state: CredentialsState<Grant>,
): Decision<Event> {
  const shown = { shownHash: credentialHash, at };
  const refusal = credentialRefusal(kind, credentialNamed(kind, state, name), shown);
  if (refusal !== undefined) return { accepted: false, rejection: refusal };
  const { day, uses } = state.lastDay;
  const isKnown = day === dayOf(at) && uses.has(keyOf({ method, subject }));
  if (kind.used === undefined || (isOncePerDay && isKnown)) return accept();
  return accept(kind.used(name, { method, subject }, at));
}

type UseData = Extract<CredentialCommand<unknown>, { readonly type: "UseCredential" }>["data"];

/** Revokes a credential; revoking it again adds no event. */
function revoke<Grant, Event extends DomainEvent>(
  kind: CredentialKind<Grant, Event>,
  { name, at }: { readonly name: string; readonly at: string },
  state: CredentialsState<Grant>,
): Decision<Event> {
  const { noun, isNumbered = false } = kind;
  const known = credentialNamed(kind, state, name);
  if (known === undefined)
    return reject("not-found", `There is no ${isNumbered ? `such ${noun}` : `${noun} ${name}`}.`);
  if (known.revokedAt !== null) return accept();
  const fault = kind.revokeFault?.(known, state);
  return fault === undefined ? accept(kind.revoked(known.name, at)) : reject("validation-failed", fault);
}

function evolve<Grant, Event extends DomainEvent>(
  kind: CredentialKind<Grant, Event>,
  state: CredentialsState<Grant>,
  event: Event,
): CredentialsState<Grant> {
  const changed = kind.changeOf(event);
  const name = changed.change === "issued" ? changed.credential.name : changed.name;
  const known = credentialNamed(kind, state, name);
  const set = (credential: Credential<Grant>): CredentialsState<Grant> => ({
    ...state,
    credentials: state.credentials.set(kind.ignoresCase === true ? name.toLowerCase() : name, credential),
  });
  if (changed.change === "issued") {
    if (known !== undefined && isInForce(known, changed.credential.issuedAt))
      throw new CorruptStreamError(event.type, "in force");
    return set({ ...changed.credential, revokedAt: null });
  }
  if (known === undefined || known.revokedAt !== null) throw new CorruptStreamError(event.type, "not there");
  if (changed.change === "revoked") return set({ ...known, revokedAt: changed.at });
  const day = dayOf(changed.at);
  const earlier = state.lastDay.day === day ? state.lastDay.uses : PersistentSet<string>();
  return { ...state, lastDay: { day, uses: earlier.add(keyOf(changed.use)) } };
}

function keyOf({ method, subject }: CredentialUse): string {
  return `${method} ${subject}`;
}
