import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

/** What members of staff may be: what each of them may do is one table (docs/reference/staff-roles.md). */
export const staffRoles = ["support", "finance", "operator", "owner"] as const;

/** One of them. */
export type StaffRole = (typeof staffRoles)[number];

/** Who belongs to the provider's staff (stream `staff-all`). */
export const staffEvents = defineEvents({
  StaffMemberAdded: event(
    "A person was given a token of staff; only its hash is kept. What the person does is recorded as `staff:<name>`.",
    {
      name: line(64),
      role: z.enum(staffRoles),
      /** Of the whole token. */
      tokenHash: sha256,
      /** From this instant on the token is refused; null: it does not expire. */
      expiresAt: instant.nullable(),
      addedAt: instant,
    },
  ),
  StaffMemberRevoked: event("A person's token was revoked: from now on it is refused.", {
    name: line(64),
    revokedAt: instant,
  }),
});

/** One of these. */
export type StaffEvent = EventOf<typeof staffEvents>;

/** Reads and names the facts about staff. */
export const staffCodec = eventCodec(staffEvents);
