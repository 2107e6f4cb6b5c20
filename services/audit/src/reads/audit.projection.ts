import { accountIdOf, canonicalAddress, erasedText } from "@hostledger/core";
import { handling, ignoring, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { type AuditLogEvent, auditLogEvents, referringEvents } from "./audit.subscription.ts";
import { accountTables, credentialTables, documentTables, referenceTables } from "./audit.tables.ts";

/** Lists accounts with their balances and resources. Names stay sealed, as in the log. */
export const auditedAccounts: Projection<AuditLogEvent, typeof accountTables> = {
  name: "audited_accounts",
  version: 1,
  categories: ["account"],
  tables: accountTables,
  handlers: {
    ...ignoring(auditLogEvents),
    AccountOpened: (db, { event: { data }, time }) => {
      db.insert("audited_accounts", {
        id: data.accountId,
        name: data.name,
        balance_cents: 0n,
        opened_at: time,
        last_movement_at: null,
      });
    },
    PersonalDataErased: (db, { event: { data } }) => {
      db.update("audited_accounts", { id: data.accountId }, { name: erasedText });
    },
    BalanceCredited: moved,
    BalanceAdjusted: moved,
    BalancePaidOut: moved,
    PaidOutReturned: moved,
    BalanceCharged: moved,
    RegistrationRefunded: moved,
    ChargeRefunded: moved,
    RefundGranted: moved,
  },
};

function moved(
  db: RowWriter<typeof accountTables>,
  {
    event: { data },
    stream,
    time,
  }: {
    readonly event: { readonly data: { readonly balanceAfterCents: string } };
    readonly stream: string;
    readonly time: string;
  },
): void {
  const changes = { balance_cents: BigInt(data.balanceAfterCents), last_movement_at: time };
  db.update("audited_accounts", { id: accountIdOf(stream) }, changes);
}

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

/** Finds the account and event of a document by its number or id. */
export const auditedDocuments: Projection<AuditLogEvent, typeof documentTables> = {
  name: "audited_documents",
  version: 2,
  categories: ["account"],
  tables: documentTables,
  handlers: {
    ...ignoring(auditLogEvents),
    InvoiceIssued: (db, { event: { data }, stream, revision }) => {
      issued(db, data.invoiceId, data.number, { stream, revision });
    },
    ReceiptCancelled: (db, { event: { data }, stream, revision }) => {
      issued(db, data.correctionId, data.number, { stream, revision });
    },
    CorrectionIssued: (db, { event: { data }, stream, revision }) => {
      issued(db, data.correctionId, data.number, { stream, revision });
    },
  },
};

function issued(
  db: RowWriter<typeof documentTables>,
  id: number,
  number: string,
  { stream, revision }: Pick<ProjectedEvent<AuditLogEvent>, "stream" | "revision">,
): void {
  db.insert("audited_documents", { id, number, account_id: accountIdOf(stream), revision: Number(revision) });
}

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
