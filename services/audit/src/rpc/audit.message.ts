import type { MessageInitShape } from "@bufbuild/protobuf";
import { admin, audit } from "@hostledger/protocol";
import type { Fact } from "@hostledger/reports";
import { fromRow } from "@hostledger/rpc";

import type { AuditedAccountRow, AuditorCredentialRow } from "../reads/audit.queries.ts";

/** A fact as auditors are told it. @param index of its leaf. */
export function auditedEvent(
  index: number,
  { stream, revision, id, type, time, data, metadata }: Fact,
): MessageInitShape<typeof audit.AuditedEventSchema> {
  return { index: BigInt(index), stream, revision, id, type, time, data, metadata };
}

/** An account as auditors find it. */
export const auditedAccountMessage = fromRow<AuditedAccountRow>().toMessage(audit.AuditedAccountSchema, {
  accountId: ({ id }) => BigInt(id),
});

/** An auditor's credential as staff sees it: never its secret. */
export const credentialMessage = fromRow<AuditorCredentialRow>().toMessage(admin.AuditorCredentialSchema, {
  credentialId: ({ id }) => BigInt(id),
});
