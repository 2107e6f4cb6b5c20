import type { Projection } from "@hostledger/projections";

import { accountsIgnored, unheardIgnored, type AccountSubscriptionEvent } from "./account.subscription.ts";
import { holdingTables } from "./account.tables.ts";

/** The domains and servers that an account has, or is about to have: it is not empty with them. */
export const holdings: Projection<AccountSubscriptionEvent, typeof holdingTables> = {
  name: "holdings",
  version: 1,
  categories: ["account", "domain", "server"],
  tables: holdingTables,
  handlers: {
    ...unheardIgnored,
    ...accountsIgnored,
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
    // They were reserved or ordered before.
    DomainRegistered: "ignored",
    DomainTransferredIn: "ignored",
    ServerProvisioned: "ignored",
    DomainRenewed: "ignored",
    ServerRenewed: "ignored",
  },
};

/** The resource is the account's no longer, or never came to be. */
function given(
  db: { readonly delete: (table: "holdings", key: { readonly resource: string }) => void },
  { stream }: { readonly stream: string },
): void {
  db.delete("holdings", { resource: stream });
}
