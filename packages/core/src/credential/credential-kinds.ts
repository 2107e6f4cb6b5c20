import { assertNever } from "../kernel/assert-never.ts";
import type { AuditorEvent } from "./auditor.events.ts";
import { type Credential, type CredentialKind, type CredentialsState } from "./credential.decider.ts";
import type { ServiceCredentialEvent } from "./service-credential.events.ts";
import type { StaffEvent, StaffRole } from "./staff.events.ts";
import type { StoreReaderEvent } from "./store-reader.events.ts";

/** Maximum validity of an auditor's credential in days; an auditor who needs longer gets a new one. */
export const maximumAuditorDays = 366;

/** Reserved staff name of the bootstrap token. */
export const bootstrapName = "admin";

export interface StaffGrant {
  readonly role: StaffRole;
}

export type StaffMember = Credential<StaffGrant>;

/** Persons of the operator's staff (stream `staff-all`). An owner always remains once there is one. */
export const staffKind: CredentialKind<StaffGrant, StaffEvent> = {
  noun: "member of staff",
  secret: "staff token",
  limit: 1_000,
  ignoresCase: true,
  issueFault({ name, role, expiresAt }, state) {
    if (!isStaffName(name)) return "The name must be 1 to 64 letters, digits, dots, dashes, _ or @.";
    if (name.toLowerCase() === bootstrapName)
      return `"${bootstrapName}" is the bootstrap token's name: choose another.`;
    return role === "owner" && expiresAt !== null && !hasOwner(state)
      ? "The first owner may not expire: nobody could add staff afterwards."
      : undefined;
  },
  revokeFault(member, { credentials }) {
    const isLasting = ({ role, revokedAt, expiresAt }: StaffMember): boolean =>
      role === "owner" && revokedAt === null && expiresAt === null;
    return isLasting(member) && credentials.count(isLasting) === 1
      ? `${member.name} is the last owner who does not expire: add another first, without --expires.`
      : undefined;
  },
  issued: ({ name, role, expiresAt, credentialHash: tokenHash, issuedAt: addedAt }) => ({
    type: "StaffMemberAdded",
    data: { name, role, expiresAt, tokenHash, addedAt },
  }),
  revoked: (name, revokedAt) => ({ type: "StaffMemberRevoked", data: { name, revokedAt } }),
  changeOf(event) {
    if (event.type === "StaffMemberRevoked") return revocation(event.data);
    const { tokenHash: credentialHash, addedAt: issuedAt, ...member } = event.data;
    return { change: "issued", credential: { ...member, credentialHash, issuedAt } };
  },
};

/** Returns true once there was an owner: the last one cannot be revoked. */
export function hasOwner({ credentials }: CredentialsState<StaffGrant>): boolean {
  return credentials.some(({ role }) => role === "owner");
}

/** Returns true for 1 to 64 characters of `A-Za-z0-9._@-`, which fit the actor in an event's metadata. */
export function isStaffName(name: string): boolean {
  return /^[A-Za-z0-9._@-]{1,64}$/.test(name);
}

export interface TeamGrant {
  readonly scopes: readonly string[];
}

/** Internal teams that call the services directly (stream `servicecredential-all`). */
export const teamKind: CredentialKind<TeamGrant, ServiceCredentialEvent> = {
  noun: "service credential",
  limit: 1_000,
  issued: ({ name, scopes, credentialHash, expiresAt, issuedAt }) => ({
    type: "ServiceCredentialIssued",
    data: { name, scopes, credentialHash, expiresAt, issuedAt },
  }),
  revoked: (name, revokedAt) => ({ type: "ServiceCredentialRevoked", data: { name, revokedAt } }),
  changeOf: (event) =>
    event.type === "ServiceCredentialRevoked"
      ? revocation(event.data)
      : { change: "issued", credential: event.data },
};

export interface StoreReaderGrant {
  readonly categories: readonly string[];
}

/** Users that read the store over EventStoreDB's protocol (stream `storereader-all`); each check folds the whole stream. */
export const storeReaderKind: CredentialKind<StoreReaderGrant, StoreReaderEvent> = {
  noun: "reader",
  secret: "password",
  limit: 200,
  issued: ({ name, categories, credentialHash, issuedAt: addedAt }) => ({
    type: "StoreReaderAdded",
    data: { name, categories, credentialHash, addedAt },
  }),
  revoked: (name, revokedAt) => ({ type: "StoreReaderRevoked", data: { name, revokedAt } }),
  changeOf(event) {
    if (event.type === "StoreReaderRevoked") return revocation(event.data);
    const { addedAt: issuedAt, ...reader } = event.data;
    return { change: "issued", credential: { ...reader, expiresAt: null, issuedAt } };
  },
};

export interface AuditorGrant {
  /** Name of the person; the credential's own name is its number. */
  readonly auditor: string;
  readonly prefix: string;
  /** These credentials always expire. */
  readonly expiresAt: string;
}

/** An auditor's credential (stream `auditor-<id>`, with this credential alone). Each use is an event. */
export const auditorKind: CredentialKind<AuditorGrant, AuditorEvent> = {
  noun: "auditor credential",
  limit: 1,
  isNumbered: true,
  issued: ({ name, auditor, credentialHash, prefix, expiresAt, issuedAt }) => ({
    type: "AuditorCredentialIssued",
    data: { credentialId: Number(name), name: auditor, credentialHash, prefix, expiresAt, issuedAt },
  }),
  revoked: (name, revokedAt) => ({
    type: "AuditorCredentialRevoked",
    data: { credentialId: Number(name), revokedAt },
  }),
  used: (name, { method, subject }, usedAt) => ({
    type: "AuditorCredentialUsed",
    data: { credentialId: Number(name), method, subject, usedAt },
  }),
  changeOf(event) {
    const name = String(event.data.credentialId);
    switch (event.type) {
      case "AuditorCredentialIssued": {
        const { name: auditor, prefix, credentialHash, expiresAt, issuedAt } = event.data;
        return {
          change: "issued",
          credential: { name, auditor, prefix, credentialHash, expiresAt, issuedAt },
        };
      }
      case "AuditorCredentialUsed":
        return { change: "used", name, use: event.data, at: event.data.usedAt };
      case "AuditorCredentialRevoked":
        return { change: "revoked", name, at: event.data.revokedAt };
      default:
        return assertNever(event);
    }
  },
};

function revocation({ name, revokedAt }: { readonly name: string; readonly revokedAt: string }) {
  return { change: "revoked", name, at: revokedAt } as const;
}
