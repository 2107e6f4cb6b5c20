import { accountIdOf } from "@hostledger/core";
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
import { apiKeyTables } from "./account.tables.ts";

export const apiKeys: Projection<AccountSubscriptionEvent, typeof apiKeyTables> = {
  name: "api_keys",
  version: 1,
  categories: ["account"],
  tables: apiKeyTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    ...documentsIgnored,
    ...paymentsIgnored,
    ...walletsIgnored,
    ApiKeyIssued: (db, { event: { data }, stream }) => {
      db.insert("api_keys", {
        key_hash: data.keyHash,
        key_id: data.keyId,
        account_id: accountIdOf(stream),
        prefix: data.prefix,
        issued_at: data.issuedAt,
        revoked_at: null,
      });
    },
    ApiKeyRevoked: (db, { event: { data } }) => {
      db.update("api_keys", { key_hash: data.keyHash }, { revoked_at: data.revokedAt });
    },
    DomainRegistered: "ignored",
    DomainTransferredIn: "ignored",
    DomainRenewed: "ignored",
    ServerProvisioned: "ignored",
    ServerRenewed: "ignored",
  },
};
