import type { Projection } from "@hostledger/read";

import {
  accountsIgnored,
  bankIgnored,
  documentsIgnored,
  paymentsIgnored,
  walletsIgnored,
  holdingsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import { profileTables } from "./account.tables.ts";

/** Profiles over time: a row per change, with texts sealed as in the events. */
export const profiles: Projection<AccountSubscriptionEvent, typeof profileTables> = {
  name: "profiles",
  version: 2,
  categories: ["account"],
  tables: profileTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    ...documentsIgnored,
    ...paymentsIgnored,
    ...walletsIgnored,
    ProfileChanged: (db, { event: { data } }) => {
      db.insert("profiles", {
        account_id: data.accountId,
        version: data.version,
        changed_at: data.changedAt,
        name: data.name,
        organisation: data.organisation,
        street: data.street,
        postal_code: data.postalCode,
        city: data.city,
        country: data.country,
        vat_id: data.vatId,
        leitweg_id: data.leitwegId,
      });
    },
    DomainRegistered: "ignored",
    DomainTransferredIn: "ignored",
    DomainRenewed: "ignored",
    ServerProvisioned: "ignored",
    ServerRenewed: "ignored",
  },
};
