import type { ServiceImpl } from "@connectrpc/connect";
import { parsed, serviceScopes, unparsable, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { parseInstant } from "@hostledger/audit/reports";
import { partNames, requestContextOf, requireStaff, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ServiceCredentials } from "./service-credentials.ts";

/** What owners may do about the credentials of internal teams. */
export function serviceCredentialAdminRpc(
  teams: ServiceCredentials,
): ServiceImpl<typeof admin.ServiceCredentialAdminService> {
  return {
    async issueServiceCredential(request, context) {
      requireStaff(context);
      const wanted = validated({
        name: parseName(request.name),
        scopes: parseScopes(request.scopes),
        expiresAt: parseExpiry(request.expiresAt),
      });
      const credential = await teams.issue(wanted, requestContextOf(context));
      const { name, scopes, expiresAt } = wanted;
      return { name, scopes: [...scopes], credential, ...defined({ expiresAt: expiresAt ?? undefined }) };
    },

    async listServiceCredentials(_request, context) {
      requireStaff(context);
      const list = await teams.list();
      return {
        credentials: list.map(({ name, scopes, issuedAt, expiresAt, revokedAt }) => ({
          name,
          scopes: [...scopes],
          issuedAt,
          ...defined({ expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined }),
        })),
      };
    },

    async revokeServiceCredential(request, context) {
      requireStaff(context);
      const { name } = validated({ name: parseName(request.name) });
      const { repeated } = await teams.revoke(name, requestContextOf(context));
      return { name, repeated };
    },
  };
}

/** The parts of a deployment have their names for themselves: facts tell who charged. */
function parseName(name: string): Parsed<string> {
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

/** A date alone is its last microsecond. */
function parseExpiry(text: string | undefined): Parsed<string | null> {
  return text === undefined ? parsed(null) : parseInstant(text, "last");
}
