import { erasedText } from "@hostledger/core";
import { ignoring, type Projection, type RowWriter } from "@hostledger/read";

import { accountIdOf, auditLogEvents, type AuditLogEvent } from "./audit.subscription.ts";
import { accountTables } from "./audit.tables.ts";

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
    BalanceCredited: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
    BalanceAdjusted: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
    BalanceCharged: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
    RegistrationRefunded: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
    ChargeRefunded: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
    RefundGranted: (db, { event: { data }, stream, time }) => {
      moved(db, stream, data.balanceAfterCents, time);
    },
  },
};

function moved(
  db: RowWriter<typeof accountTables>,
  stream: string,
  balanceAfterCents: string,
  time: string,
): void {
  const changes = { balance_cents: BigInt(balanceAfterCents), last_movement_at: time };
  db.update("audited_accounts", { id: accountIdOf(stream) }, changes);
}
