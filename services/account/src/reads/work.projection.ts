import type { Projection } from "@hostledger/read";
import { beginWork, endWork, wakeWork, workTables } from "@hostledger/work/work-table";

import {
  accountsIgnored,
  holdingsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";

/** Schedules questions about accounts' VAT ids, which are decided on the account's own stream. */
export const accountWork: Projection<AccountSubscriptionEvent, typeof workTables> = {
  name: "work",
  version: 1,
  categories: ["account"],
  tables: workTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...accountsIgnored,
    ProfileChanged: (db, { stream, time, event: { data } }) => {
      beginWork(db, { ...vatIdOf(stream), accountId: data.accountId }, time);
    },
    VatIdChecked: (db, { stream, time }) => {
      wakeWork(db, vatIdOf(stream), time);
    },
    PersonalDataErased: (db, { stream }) => {
      endWork(db, vatIdOf(stream));
    },
    DomainRegistered: "ignored",
    DomainTransferredIn: "ignored",
    DomainRenewed: "ignored",
    ServerProvisioned: "ignored",
    ServerRenewed: "ignored",
  },
};

function vatIdOf(stream: string) {
  return { kind: "vat-id", key: stream.slice("account-".length) };
}
