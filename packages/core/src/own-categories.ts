import * as aggregates from "./aggregates.ts";
import { domainRenewal } from "./processes/domain-renewal.process.ts";
import { registration } from "./processes/registration.process.ts";
import { serverOrder } from "./processes/server-order.process.ts";
import { serverRenewal } from "./processes/server-renewal.process.ts";
import { transferIn } from "./processes/transfer.process.ts";

/** The processes that charge for what they order. */
export const paidOrders = [domainRenewal, registration, serverOrder, serverRenewal, transferIn];

/** Streams that a package writes without an aggregate of this one: causes of tickets, and the times that an import kept. */
const others = ["ticketcause", "transfer"];

/** The categories of all streams that hold facts of ours: `account` of `account-7`. */
export const ownCategories: readonly string[] = [
  ...new Set([
    ...Object.values(aggregates).flatMap((each) => ("category" in each ? [each.category] : [])),
    ...paidOrders.map(({ category }) => category),
    ...others,
  ]),
].sort();
