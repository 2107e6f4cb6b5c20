import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import {
  isInForce,
  listCredential,
  unlistCredential,
  type ListedCredential,
} from "../kernel/credential-list.ts";
import { CorruptStreamError, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { ServiceCredentialEvent } from "./service-credential.events.ts";

/** Issues a credential to a team. A name may get a new credential after its last one was revoked or expired. */
export type IssueServiceCredential = Command<
  "IssueServiceCredential",
  {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly credentialHash: string;
    readonly expiresAt: string | null;
  }
>;

export type RevokeServiceCredential = Command<"RevokeServiceCredential", { readonly name: string }>;

export type ServiceCredentialCommand = IssueServiceCredential | RevokeServiceCredential;

export interface ServiceCredential extends ListedCredential {
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly issuedAt: string;
}

export interface ServiceCredentialsState {
  readonly credentials: PersistentMap<string, ServiceCredential>;
}

/** Maximum names, revoked ones included. */
export const serviceCredentialLimit = 1_000;

const rules = { noun: "service credential", limit: serviceCredentialLimit };

/** Rules of internal teams' credentials (stream `servicecredential-all`). */
export const serviceCredentials: Decider<
  ServiceCredentialCommand,
  ServiceCredentialsState,
  ServiceCredentialEvent
> = {
  initialState: { credentials: PersistentMap() },
  decide,
  evolve,
};

/** Returns the credential with this hash; undefined if there is none. */
export function serviceCredentialOf(
  { credentials }: ServiceCredentialsState,
  credentialHash: string,
): ServiceCredential | undefined {
  return credentials.find((one) => one.credentialHash === credentialHash);
}

function decide(
  command: ServiceCredentialCommand,
  { credentials }: ServiceCredentialsState,
): Decision<ServiceCredentialEvent> {
  switch (command.type) {
    case "IssueServiceCredential": {
      const { at, name, scopes, credentialHash, expiresAt } = command.data;
      return listCredential(credentials, command.data, rules, () => ({
        type: "ServiceCredentialIssued",
        data: { name, scopes: [...scopes], credentialHash, expiresAt, issuedAt: at },
      }));
    }
    case "RevokeServiceCredential": {
      const { at, name } = command.data;
      return unlistCredential(credentials, name, rules, () => ({
        type: "ServiceCredentialRevoked",
        data: { name, revokedAt: at },
      }));
    }
    default:
      return assertNever(command);
  }
}

function evolve(
  { credentials }: ServiceCredentialsState,
  event: ServiceCredentialEvent,
): ServiceCredentialsState {
  const known = credentials.get(event.data.name);
  switch (event.type) {
    case "ServiceCredentialIssued":
      if (known !== undefined && isInForce(known, event.data.issuedAt))
        throw new CorruptStreamError(event.type, "in force");
      return { credentials: credentials.set(event.data.name, event.data) };
    case "ServiceCredentialRevoked":
      if (known === undefined || known.revokedAt !== undefined)
        throw new CorruptStreamError(event.type, "not there");
      return { credentials: credentials.set(known.name, { ...known, revokedAt: event.data.revokedAt }) };
    default:
      return assertNever(event);
  }
}
