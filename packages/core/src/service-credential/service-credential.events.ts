import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

/** What credentials of internal teams may be allowed: which calls each opens is one table of the RPC's permissions. */
export const serviceScopes = ["accounts:read", "profiles:read", "invoices:read", "charges"] as const;

/** One of them. */
export type ServiceScope = (typeof serviceScopes)[number];

/** Which internal teams may call the services (stream `servicecredential-all`). */
export const serviceCredentialEvents = defineEvents({
  ServiceCredentialIssued: event(
    "An internal team was given a credential for the services; only its hash is kept. What the team does is recorded as `service:<name>`.",
    {
      name: line(63),
      /** What it opens; a scope that nobody knows any more opens nothing. */
      scopes: z.array(line(63)).min(1).max(64),
      /** Of the whole credential. */
      credentialHash: sha256,
      /** From this instant on it is refused; null: it does not expire. */
      expiresAt: instant.nullable(),
      issuedAt: instant,
    },
  ),
  ServiceCredentialRevoked: event("A team's credential was revoked: from now on it is refused.", {
    name: line(63),
    revokedAt: instant,
  }),
});

/** One of these. */
export type ServiceCredentialEvent = EventOf<typeof serviceCredentialEvents>;

/** Reads and names the facts about credentials of internal teams. */
export const serviceCredentialCodec = eventCodec(serviceCredentialEvents);
