import type { Projection } from "@hostledger/read";

import { unheardIgnored, type SupportSubscriptionEvent } from "./support.subscription.ts";
import { customerTables } from "./support.tables.ts";

/** Sealed names of customers, and owners of servers from their order on, unless the order failed. */
export const customers: Projection<SupportSubscriptionEvent, typeof customerTables> = {
  name: "customers",
  version: 2,
  categories: ["account", "server"],
  tables: customerTables,
  handlers: {
    ...unheardIgnored,
    AccountOpened: (db, { event: { data } }) => {
      db.insert("customers", { id: data.accountId, name: data.name });
    },
    ServerOrdered: (db, { event: { data } }) => {
      db.insert("servers", { id: data.serverId, account_id: data.accountId });
    },
    ServerOrderFailed: (db, { event: { data } }) => {
      db.delete("servers", { id: data.serverId });
    },
  },
};
