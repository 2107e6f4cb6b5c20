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
    "An internal team was given a credential for the services. Only its hash is stored. Events record the team as `service:<name>`.",
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
  ServiceCredentialRevoked: event(
    "The credential of an internal team was revoked. From now on the services refuse the credential.",
    {
      name: line(63),
      revokedAt: instant,
    },
  ),
});

export type ServiceCredentialEvent = EventOf<typeof serviceCredentialEvents>;

export const serviceCredentialCodec = eventCodec(serviceCredentialEvents);
