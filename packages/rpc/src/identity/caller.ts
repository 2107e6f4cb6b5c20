import { assertNever, type StaffRole } from "@hostledger/core";

/** A customer, known by its account and, where one was used, by its API key. */
export interface AccountCaller {
  readonly kind: "account";
  readonly accountId: number;
  readonly keyId?: number;
}

/** One of our own services, or an internal team. */
export interface ServiceCaller {
  readonly kind: "service";
  readonly name: string;
  /** Scopes of a team's credential; a part of a deployment has none. */
  readonly scopes?: readonly string[];
}

/** A member of the provider's staff. */
export interface StaffCaller {
  readonly kind: "staff";
  readonly name: string;
  /** Role of the person; a caller without a role may call nothing that requires one. */
  readonly role?: StaffRole;
  /** True for the process itself, which opens the demo: its calls need no approval. */
  readonly isProcess?: boolean;
}

/** An auditor, known by the credential. No caller token names one: auditors reach the audit service and nothing else. */
export interface AuditorCaller {
  readonly kind: "auditor";
  readonly credentialId: number;
}

export type Caller = AccountCaller | ServiceCaller | StaffCaller | AuditorCaller;

/**
 * Writes a caller as the `actor` of event metadata: `account:7`, `account:7:3` with the API key, `service:domain`,
 * `staff:admin`, `auditor:3`. `callerFrom` reads it back, but for an auditor.
 */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case "account": {
      const account = `account:${String(caller.accountId)}`;
      return caller.keyId === undefined ? account : `${account}:${String(caller.keyId)}`;
    }
    case "service":
    case "staff":
      return `${caller.kind}:${caller.name}`;
    case "auditor":
      return `auditor:${String(caller.credentialId)}`;
    default:
      return assertNever(caller);
  }
}

/** Returns the owner of a caller's work, see `onBehalfOf`: all keys of an account share its turns. */
export function ownerOf(caller: Caller): string {
  return caller.kind === "account" ? `account:${String(caller.accountId)}` : actorOf(caller);
}

/**
 * Reads an `actor`; undefined when the text is none. Ids are positive integers below 10^15, names are 1 to 64 of
 * `A-Za-z0-9._@-`.
 */
export function callerFrom(actor: string): Caller | undefined {
  const { accountId, keyId, kind, name } = actorPattern.exec(actor)?.groups ?? {};
  if (name !== undefined && (kind === "service" || kind === "staff")) return { kind, name };
  if (accountId === undefined) return undefined;
  const account = { kind: "account", accountId: Number(accountId) } as const;
  return keyId === undefined ? account : { ...account, keyId: Number(keyId) };
}

/** Fifteen digits stay below the largest integer a number holds exactly. */
const actorPattern =
  /^(?:account:(?<accountId>[1-9]\d{0,14})(?::(?<keyId>[1-9]\d{0,14}))?|(?<kind>service|staff):(?<name>[A-Za-z0-9._@-]{1,64}))$/;
