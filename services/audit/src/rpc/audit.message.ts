import type { MessageInitShape } from "@bufbuild/protobuf";
import { admin, audit } from "@hostledger/protocol";
import type { Event } from "@hostledger/audit/reports";
import { fromRow } from "@hostledger/rpc";

import type { FoundAccount } from "../reads/account-search.ts";
import type { AuditorCredentialRow } from "../reads/audit.queries.ts";

/** Converts an event to its message for auditors. @param index of its leaf. */
export function auditedEvent(
  index: number,
  { stream, revision, id, type, time, data, metadata, leftOut = "" }: Event,
): MessageInitShape<typeof audit.AuditedEventSchema> {
  return { index: BigInt(index), stream, revision, id, type, time, data, metadata, leftOut };
}

export const auditedAccountMessage = fromRow<FoundAccount>().toMessage(audit.AuditedAccountSchema, {
  accountId: ({ id }) => BigInt(id),
  foundBy: ({ foundBy }) => [...foundBy],
});

/** An auditor's credential for staff, without its secret. */
export const credentialMessage = fromRow<AuditorCredentialRow>().toMessage(admin.AuditorCredentialSchema, {
  credentialId: ({ id }) => BigInt(id),
});
