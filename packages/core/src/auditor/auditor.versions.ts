import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, textField } from "../kernel/fields.ts";
import type { AuditorEvent } from "./auditor.events.ts";

/** The shapes that facts about auditors' credentials have had. */
export const auditorVersions: Readonly<Record<AuditorEvent["type"], EventVersions>> = {
  AuditorCredentialIssued: {
    schemas: [
      z.strictObject({
        credentialId: idField,
        name: textField,
        credentialHash: z.string().regex(/^[0-9a-f]{64}$/),
        prefix: textField,
        issuedAt: instantField,
        expiresAt: instantField,
      }),
    ],
  },
  AuditorCredentialUsed: {
    schemas: [
      z.strictObject({ credentialId: idField, method: textField, subject: textField, usedAt: instantField }),
    ],
  },
  AuditorCredentialRevoked: { schemas: [z.strictObject({ credentialId: idField, revokedAt: instantField })] },
};

/** Reads and names the facts about auditors' credentials. */
export const auditorCodec = historyCodec<AuditorEvent>(auditorVersions);
