import { canonicalAddress } from "@hostledger/core";
import { handling, ignoring, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { accountIdOf, auditLogEvents, referringEvents, type AuditLogEvent } from "./audit.subscription.ts";
import { referenceTables } from "./audit.tables.ts";

type Tables = typeof referenceTables;

/**
 * Stores the search terms of accounts. Names and e-mail addresses stay sealed, as in the log. Requests and server
 * addresses are stored with the stream that names them, and streams with the accounts that their events name.
 */
export const auditedReferences: Projection<AuditLogEvent, Tables> = {
  name: "audited_references",
  version: 1,
  categories: ["account", "domain", "server", "ticket", "request", "webhook", "noticechoice"],
  tables: referenceTables,
  handlers: {
    ...ignoring(auditLogEvents),
    ...handling(() => refer, ...referringEvents),
    ProfileChanged: (db, input) => {
      refer(db, input);
      const { accountId, name, organisation, email } = input.event.data;
      db.upsert("audited_profiles", { id: accountId, name, organisation, email });
    },
    PersonalDataErased: (db, input) => {
      refer(db, input);
      db.delete("audited_profiles", { id: input.event.data.accountId });
    },
    ServerProvisioned: (db, input) => {
      refer(db, input);
      const value = canonicalAddress(input.event.data.ipAddress);
      if (value !== undefined)
        db.upsert("audited_references", { kind: "address", value, stream: input.stream });
    },
  },
};

function refer(
  db: RowWriter<Tables>,
  { event: { data }, stream, metadata: { requestId } }: ProjectedEvent<AuditLogEvent>,
): void {
  const accountId = accountNamedBy(stream, data);
  // A request of an account for itself may have many streams; one is enough.
  const place = accountId === undefined ? stream : `account-${String(accountId)}`;
  if (accountId !== undefined && place !== stream)
    db.upsert("audited_owners", { stream, account_id: accountId });
  if (requestId !== undefined)
    db.upsert("audited_references", { kind: "request", value: requestId, stream: place });
}

/** Null and absent: the event names no account. */
function accountNamedBy(stream: string, data: AuditLogEvent["data"]): number | undefined {
  if (stream.startsWith("account-")) return accountIdOf(stream);
  return "accountId" in data ? (data.accountId ?? undefined) : undefined;
}
