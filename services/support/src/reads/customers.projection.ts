import type { Projection } from "@hostledger/projections";

import { unheardIgnored, type SupportSubscriptionEvent } from "./support.subscription.ts";
import { customerTables } from "./support.tables.ts";

/**
 * Names of customers (sealed) for their comments, and owners of servers for tickets. A server counts from its order,
 * unless the order failed.
 */
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
