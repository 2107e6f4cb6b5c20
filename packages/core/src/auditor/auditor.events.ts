import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, sha256, text } from "../kernel/fields.ts";

export const auditorEvents = defineEvents({
  AuditorCredentialIssued: event(
    "A credential that lets an auditor read was issued; only its hash is kept.",
    {
      credentialId: id,
      name: text,
      credentialHash: sha256,
      /** First characters of the credential, which identify it in lists. */
      prefix: text,
      issuedAt: instant,
      /** The credential is refused from this instant on. */
      expiresAt: instant,
    },
  ),
  AuditorCredentialUsed: event(
    "A credential was used for a call, which may then have been answered or refused.",
    {
      credentialId: id,
      /** Name of the call, for example `GetStatement`. */
      method: text,
      /** Subject of the call, for example `account 7`. */
      subject: text,
      usedAt: instant,
    },
  ),
  AuditorCredentialRevoked: event("A credential was revoked: from now on it is refused.", {
    credentialId: id,
    revokedAt: instant,
  }),
});

export type AuditorEvent = EventOf<typeof auditorEvents>;
export type AuditorCredentialIssued = EventOf<typeof auditorEvents, "AuditorCredentialIssued">;

export const auditorCodec = eventCodec(auditorEvents);
