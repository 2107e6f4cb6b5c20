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

/** Gives a team a credential. A name whose credential was revoked or has expired may have another. */
export type IssueServiceCredential = Command<
  "IssueServiceCredential",
  {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly credentialHash: string;
    readonly expiresAt: string | null;
  }
>;

/** Revokes a team's credential. */
export type RevokeServiceCredential = Command<"RevokeServiceCredential", { readonly name: string }>;

/** What can be asked of the list of teams. */
export type ServiceCredentialCommand = IssueServiceCredential | RevokeServiceCredential;

/** A team's credential, now or once. */
export interface ServiceCredential extends ListedCredential {
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly issuedAt: string;
}

/** All that ever were, by their names. */
export interface ServiceCredentialsState {
  readonly credentials: PersistentMap<string, ServiceCredential>;
}

/** Names that there may ever be. */
export const serviceCredentialLimit = 1_000;

const rules = { noun: "service credential", limit: serviceCredentialLimit };

/** The rules of which teams may call the services (stream `servicecredential-all`). */
export const serviceCredentials: Decider<
  ServiceCredentialCommand,
  ServiceCredentialsState,
  ServiceCredentialEvent
> = {
  initialState: { credentials: PersistentMap() },
  decide,
  evolve,
};

/** Whose credential has this hash; undefined for nobody's. */
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
