import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

/** Scopes of internal teams' credentials. The RPC permission table lists the calls of each scope. */
export const serviceScopes = ["accounts:read", "profiles:read", "invoices:read", "charges"] as const;

export type ServiceScope = (typeof serviceScopes)[number];

/** Events of internal teams' credentials (stream `servicecredential-all`). */
export const serviceCredentialEvents = defineEvents({
  ServiceCredentialIssued: event(
    "An internal team was given a credential for the services; only its hash is kept. What the team does is recorded as `service:<name>`.",
    {
      name: line(63),
      /** Granted scopes; an unknown scope grants nothing. */
      scopes: z.array(line(63)).min(1).max(64),
      credentialHash: sha256,
      /** The credential is refused from this instant on; null if it never expires. */
      expiresAt: instant.nullable(),
      issuedAt: instant,
    },
  ),
  ServiceCredentialRevoked: event("A team's credential was revoked: from now on it is refused.", {
    name: line(63),
    revokedAt: instant,
  }),
});

export type ServiceCredentialEvent = EventOf<typeof serviceCredentialEvents>;

export const serviceCredentialCodec = eventCodec(serviceCredentialEvents);
