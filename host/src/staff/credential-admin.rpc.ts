import type { ServiceImpl } from "@connectrpc/connect";
import {
  isStaffName,
  parsed,
  serviceScopes,
  staffRoles,
  unparsable,
  type CredentialTerm,
  type Parsed,
  type StaffRole,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { parseInstant } from "@hostledger/audit/reports";
import { partNames, requestContextOf, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ServiceCredentials } from "./service-credentials.ts";
import type { StaffMembers } from "./staff-members.ts";

/** Creates the owners' handlers about credentials of internal teams. */
export function serviceCredentialAdminRpc(
  teams: ServiceCredentials,
): ServiceImpl<typeof admin.ServiceCredentialAdminService> {
  return {
    async issueServiceCredential(request, context) {
      const wanted = validated({
        name: parseTeamName(request.name),
        scopes: parseScopes(request.scopes),
        expiresAt: parseExpiry(request.expiresAt),
      });
      const credential = await teams.issue(wanted, requestContextOf(context));
      const { name, scopes, expiresAt } = wanted;
      return { name, scopes: [...scopes], credential, ...defined({ expiresAt: expiresAt ?? undefined }) };
    },

    async listServiceCredentials() {
      const list = await teams.list();
      return {
        credentials: list.map(({ name, scopes, issuedAt, expiresAt, revokedAt }) => ({
          name,
          scopes: [...scopes],
          issuedAt,
          ...termOf({ expiresAt, revokedAt }),
        })),
      };
    },

    async revokeServiceCredential(request, context) {
      const { name } = validated({ name: parseTeamName(request.name) });
      const { repeated } = await teams.revoke(name, requestContextOf(context));
      return { name, repeated };
    },
  };
}

/** Names of a deployment's parts are reserved, because events name who charged. */
function parseTeamName(name: string): Parsed<string> {
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(name))
    return unparsable("must be 1 to 63 lower-case letters, digits and dashes, beginning with a letter");
  return partNames.some((part) => part === name)
    ? unparsable("must be another name than that of a part (" + partNames.join(", ") + ")")
    : parsed(name);
}

function parseScopes(scopes: readonly string[]): Parsed<readonly string[]> {
  const asked = [...new Set(scopes)].sort();
  const isKnown = asked.every((scope) => serviceScopes.some((one) => one === scope));
  return isKnown && asked.length > 0
    ? parsed(asked)
    : unparsable(`must be some of ${serviceScopes.join(", ")}`);
}

/** Creates the owners' handlers about members of staff. */
export function staffAdminRpc(members: StaffMembers): ServiceImpl<typeof admin.StaffAdminService> {
  return {
    async addStaffMember(request, context) {
      const member = validated({
        name: parseStaffName(request.name),
        role: parseRole(request.role),
        expiresAt: parseExpiry(request.expiresAt),
      });
      const { token, expiresAt } = await members.add(member, requestContextOf(context));
      return {
        name: member.name,
        role: member.role,
        token,
        ...defined({ expiresAt: expiresAt ?? undefined }),
      };
    },

    async listStaffMembers() {
      const list = await members.list();
      return {
        members: list.map(({ name, role, issuedAt: addedAt, expiresAt, revokedAt }) => ({
          name,
          role,
          addedAt,
          ...termOf({ expiresAt, revokedAt }),
        })),
      };
    },

    async revokeStaffMember(request, context) {
      const { name } = validated({ name: parseStaffName(request.name) });
      const { repeated } = await members.revoke(name, requestContextOf(context));
      return { name, repeated };
    },
  };
}

function parseStaffName(name: string): Parsed<string> {
  return isStaffName(name)
    ? parsed(name)
    : unparsable("must be 1 to 64 letters, digits, dots, dashes, _ or @");
}

function parseRole(text: string): Parsed<StaffRole> {
  const role = staffRoles.find((one) => one === text);
  return role === undefined ? unparsable(`must be one of ${staffRoles.join(", ")}`) : parsed(role);
}

/** A date alone is its last microsecond. */
function parseExpiry(text: string | undefined): Parsed<string | null> {
  return text === undefined ? parsed(null) : parseInstant(text, "last");
}

function termOf({ expiresAt, revokedAt }: CredentialTerm) {
  return defined({ expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined });
}
