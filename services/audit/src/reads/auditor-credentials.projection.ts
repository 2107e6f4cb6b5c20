import { ignoring, type Projection } from "@hostledger/read";

import { auditLogEvents, type AuditLogEvent } from "./audit.subscription.ts";
import { credentialTables } from "./audit.tables.ts";

export const auditorCredentials: Projection<AuditLogEvent, typeof credentialTables> = {
  name: "auditor_credentials",
  version: 1,
  categories: ["auditor"],
  tables: credentialTables,
  handlers: {
    ...ignoring(auditLogEvents),
    AuditorCredentialIssued: (db, { event: { data } }) => {
      db.insert("auditor_credentials", {
        id: data.credentialId,
        name: data.name,
        prefix: data.prefix,
        issued_at: data.issuedAt,
        expires_at: data.expiresAt,
        revoked_at: null,
        last_used_at: null,
        uses: 0,
      });
    },
    AuditorCredentialUsed: (db, { event: { data }, revision }) => {
      // The stream has one issue and then only uses until a revocation, so the revision counts the uses.
      const changes = { last_used_at: data.usedAt, uses: Number(revision) };
      db.update("auditor_credentials", { id: data.credentialId }, changes);
    },
    AuditorCredentialRevoked: (db, { event: { data } }) => {
      db.update("auditor_credentials", { id: data.credentialId }, { revoked_at: data.revokedAt });
    },
  },
};
