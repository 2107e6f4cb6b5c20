import * as aggregates from "./aggregates.ts";
import type { DomainEvent } from "./kernel/decider.ts";
import { eventCodec, type EventCodec } from "./kernel/event-codec.ts";
import type { EventDefinitions } from "./kernel/event-definition.ts";
import { domainRenewal } from "./processes/domain-renewal.process.ts";
import { registration } from "./processes/registration.process.ts";
import { serverOrder } from "./processes/server-order.process.ts";
import { serverRenewal } from "./processes/server-renewal.process.ts";
import { transferIn } from "./processes/transfer.process.ts";
import { ticketCauseCodec } from "./ticket/ticket.events.ts";

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

/** What reads events and says which it knows. */
type CategoryCodec = Pick<EventCodec<DomainEvent>, "decode" | "knows">;

const codecs = new Map<string, CategoryCodec>();

for (const each of Object.values(aggregates)) if ("category" in each) addCodec(each.category, each.codec);
for (const { category, facts } of paidOrders) addCodec(category, eventCodec<EventDefinitions>(facts));
addCodec("ticketcause", ticketCauseCodec);

/** Several aggregates may have streams of one category. */
function addCodec(category: string, codec: CategoryCodec): void {
  const other = codecs.get(category);
  codecs.set(
    category,
    other === undefined
      ? codec
      : {
          knows: (type) => codec.knows(type) || other.knows(type),
          decode: (type, ...given) => (codec.knows(type) ? codec : other).decode(type, ...given),
        },
  );
}

/**
 * What reads the events of a category's streams, and no others: a charge in the stream of a domain is damaged there.
 * @returns undefined for a category that has no events of its own.
 */
export function codecOfCategory(category: string): CategoryCodec | undefined {
  return codecs.get(category);
}
