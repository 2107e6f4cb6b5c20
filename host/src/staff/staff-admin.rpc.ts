import type { ServiceImpl } from "@connectrpc/connect";
import { isStaffName, parsed, staffRoles, unparsable, type Parsed, type StaffRole } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { parseInstant } from "@hostledger/audit/reports";
import { requestContextOf, requireStaff, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { StaffMembers } from "./staff-members.ts";

/** What owners may do about the persons of staff. */
export function staffAdminRpc(members: StaffMembers): ServiceImpl<typeof admin.StaffAdminService> {
  return {
    async addStaffMember(request, context) {
      requireStaff(context);
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

    async listStaffMembers(_request, context) {
      requireStaff(context);
      const list = await members.list();
      return {
        members: list.map(({ name, role, issuedAt: addedAt, expiresAt, revokedAt }) => ({
          name,
          role,
          addedAt,
          ...defined({ expiresAt: expiresAt ?? undefined, revokedAt: revokedAt ?? undefined }),
        })),
      };
    },

    async revokeStaffMember(request, context) {
      requireStaff(context);
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
