import type { Projection } from "@hostledger/read";

import {
  accountsIgnored,
  bankIgnored,
  documentsIgnored,
  paymentsIgnored,
  walletsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import { holdingTables } from "./account.tables.ts";

/** Domains and servers that an account has or has ordered; the account cannot be erased while any exist. */
export const holdings: Projection<AccountSubscriptionEvent, typeof holdingTables> = {
  name: "holdings",
  version: 1,
  categories: ["account", "domain", "server"],
  tables: holdingTables,
  handlers: {
    ...unheardIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    ...documentsIgnored,
    ...paymentsIgnored,
    ...walletsIgnored,
    RegistrationReserved: (db, { event: { data }, stream }) => {
      db.upsert("holdings", { resource: stream, account_id: data.accountId });
    },
    TransferReserved: (db, { event: { data }, stream }) => {
      db.upsert("holdings", { resource: stream, account_id: data.accountId });
    },
    ServerOrdered: (db, { event: { data }, stream }) => {
      db.upsert("holdings", { resource: stream, account_id: data.accountId });
    },
    RegistrationReleased: given,
    TransferReleased: given,
    DomainTransferredAway: given,
    DomainDeleted: given,
    ServerOrderFailed: given,
    ServerTerminationBegun: given,
    // Reservation or order events precede these.
    DomainRegistered: "ignored",
    DomainTransferredIn: "ignored",
    ServerProvisioned: "ignored",
    DomainRenewed: "ignored",
    ServerRenewed: "ignored",
  },
};

/** Deletes the row if the account has lost the resource or never got it. */
function given(
  db: { readonly delete: (table: "holdings", key: { readonly resource: string }) => void },
  { stream }: { readonly stream: string },
): void {
  db.delete("holdings", { resource: stream });
}
