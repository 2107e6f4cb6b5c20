import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, sha256, text } from "../kernel/fields.ts";

/** What happens to an auditor's credential. */
export const auditorEvents = defineEvents({
  AuditorCredentialIssued: event(
    "A credential that lets an auditor read was issued; only its hash is kept.",
    {
      credentialId: id,
      /** Whose it is. */
      name: text,
      /** Of the whole credential. */
      credentialHash: sha256,
      /** Its first characters, to recognise it by. */
      prefix: text,
      issuedAt: instant,
      /** From this instant on it is refused. */
      expiresAt: instant,
    },
  ),
  AuditorCredentialUsed: event(
    "A credential was used for a call, which may then have been answered or refused.",
    {
      credentialId: id,
      /** What was called, for example `GetStatement`. */
      method: text,
      /** What it was about, for example `account 7`. */
      subject: text,
      usedAt: instant,
    },
  ),
  AuditorCredentialRevoked: event("A credential was revoked: from now on it is refused.", {
    credentialId: id,
    revokedAt: instant,
  }),
});

/** Everything that happens to an auditor's credential. */
export type AuditorEvent = EventOf<typeof auditorEvents>;
/** A credential that lets an auditor read was issued; only its hash is kept. */
export type AuditorCredentialIssued = EventOf<typeof auditorEvents, "AuditorCredentialIssued">;

/** Reads and names the facts about auditors' credentials. */
export const auditorCodec = eventCodec(auditorEvents);
