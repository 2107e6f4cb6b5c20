import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

/** Staff roles; docs/reference/staff-roles.md lists their permissions. */
export const staffRoles = ["support", "finance", "operator", "owner"] as const;

export type StaffRole = (typeof staffRoles)[number];

/** Events of the operator's staff (stream `staff-all`). */
export const staffEvents = defineEvents({
  StaffMemberAdded: event(
    "A person was given a staff token. Only its hash is stored. Events record the person as `staff:<name>`.",
    {
      name: line(64),
      role: z.enum(staffRoles),
      tokenHash: sha256,
      /** The token is refused from this instant on; null if it never expires. */
      expiresAt: instant.nullable(),
      addedAt: instant,
    },
  ),
  StaffMemberRevoked: event(
    "The token of a member of staff was revoked. From now on the services refuse the token.",
    {
      name: line(64),
      revokedAt: instant,
    },
  ),
});

export type StaffEvent = EventOf<typeof staffEvents>;

export const staffCodec = eventCodec(staffEvents);
