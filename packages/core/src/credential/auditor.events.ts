import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, sha256, text } from "../kernel/fields.ts";

export const auditorEvents = defineEvents({
  AuditorCredentialIssued: event("An auditor was given a credential to read. Only its hash is stored.", {
    credentialId: id,
    name: text,
    credentialHash: sha256,
    /** First characters of the credential, which identify it in lists. */
    prefix: text,
    issuedAt: instant,
    /** The credential is refused from this instant on. */
    expiresAt: instant,
  }),
  AuditorCredentialUsed: event(
    "An auditor made a call with the credential. The call may have been answered or refused.",
    {
      credentialId: id,
      /** Name of the call, for example `GetStatement`. */
      method: text,
      /** Subject of the call, for example `account 7`. */
      subject: text,
      usedAt: instant,
    },
  ),
  AuditorCredentialRevoked: event(
    "An auditor's credential was revoked. From now on the service refuses the credential.",
    {
      credentialId: id,
      revokedAt: instant,
    },
  ),
});

export type AuditorEvent = EventOf<typeof auditorEvents>;
export type AuditorCredentialIssued = EventOf<typeof auditorEvents, "AuditorCredentialIssued">;

export const auditorCodec = eventCodec(auditorEvents);
