import { domainEvents, type PriceSet } from "@hostledger/core";
import { ignoring, type Projection } from "@hostledger/read";

import { runsIgnored, type DomainSubscriptionEvent } from "./domain.subscription.ts";
import { priceTables } from "./domain.tables.ts";

/** Price list: a row for each extension that was ever priced. */
export const prices: Projection<DomainSubscriptionEvent, typeof priceTables> = {
  name: "prices",
  version: 4,
  categories: ["pricelist"],
  tables: priceTables,
  handlers: {
    PriceSet: (db, { event: { data } }) => {
      db.upsert("prices", pricesOf(data));
      db.delete("announced_prices", { tld: data.tld });
    },
    PriceAnnounced: (db, { event: { data } }) => {
      db.upsert("announced_prices", { ...pricesOf(data), valid_from: data.validFrom });
    },
    ExtensionLifeCycleSet: (db, { event: { data } }) => {
      db.upsert("extension_life_cycles", {
        tld: data.tld,
        grace_days: data.graceDays,
        redemption_days: data.redemptionDays,
        pending_delete_days: data.pendingDeleteDays,
        restore_cents: data.restoreCents === null ? null : BigInt(data.restoreCents),
      });
    },
    ...ignoring(domainEvents),
    ...runsIgnored,
  },
};

function pricesOf(data: PriceSet["data"]) {
  return {
    tld: data.tld,
    registration_cents: BigInt(data.registrationCents),
    renewal_cents: BigInt(data.renewalCents),
    transfer_cents: BigInt(data.transferCents),
    active: data.active,
    registrar: data.registrar,
  };
}
