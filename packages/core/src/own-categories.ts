import * as aggregates from "./aggregates.ts";
import type { DomainEvent } from "./kernel/decider.ts";
import type { EventCodec } from "./kernel/event-codec.ts";
import { paidOrder } from "./processes/paid-order/paid-order.ts";
import { domainRenewal } from "./processes/domain-renewal.process.ts";
import { registration } from "./processes/registration.process.ts";
import { serverOrder } from "./processes/server-order.process.ts";
import { serverRenewal } from "./processes/server-renewal.process.ts";
import { transferIn } from "./processes/transfer.process.ts";
import { ticketCause } from "./ticket/ticket-cause.decider.ts";
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

/** What stands before the first dash of a stream's name: `account` of `account-17`. */
export function categoryOf(stream: string): string {
  const dashAt = stream.indexOf("-");
  return dashAt === -1 ? stream : stream.slice(0, dashAt);
}

/** What the events of a stream make of it, for readers that know no aggregate. */
export interface StreamFold {
  readonly initialState: unknown;
  /** @throws StoredEventError where the event contradicts the events before it. */
  evolve(state: unknown, event: DomainEvent): unknown;
}

/** What reads the events of a category's streams and says which it knows, and what the events make of such a stream. */
export interface CategoryCodec extends Pick<EventCodec<DomainEvent>, "decode" | "knows"> {
  /** Absent where no rules follow these streams. */
  readonly fold?: StreamFold;
}

const codecs = new Map<string, CategoryCodec>();

// How long a provider is waited for changes no fold.
const options = { quietMs: 0 };

for (const each of Object.values(aggregates))
  if ("category" in each) addCodec(each.category, { ...codecOf(each.codec), fold: each.decider });
for (const { category, codec, initialState, evolve } of [
  paidOrder(domainRenewal, options),
  paidOrder(registration, options),
  paidOrder(serverOrder, options),
  paidOrder(serverRenewal, options),
  paidOrder(transferIn, options),
])
  addCodec(category, { ...codecOf(codec), fold: { initialState, evolve } });
addCodec("ticketcause", { ...codecOf(ticketCauseCodec), fold: ticketCause });

function codecOf({ decode, knows }: CategoryCodec): CategoryCodec {
  return { decode, knows };
}

/** Several aggregates may have streams of one category: each event is that of the one whose type it has. */
function addCodec(category: string, codec: CategoryCodec): void {
  const other = codecs.get(category);
  codecs.set(category, other === undefined ? codec : eitherCodec(codec, other));
}

function eitherCodec(one: CategoryCodec, other: CategoryCodec): CategoryCodec {
  const either = {
    knows: (type: string) => one.knows(type) || other.knows(type),
    decode: (...given: Parameters<CategoryCodec["decode"]>) =>
      (one.knows(given[0]) ? one : other).decode(...given),
  };
  const [first, second] = [one.fold, other.fold];
  if (first === undefined || second === undefined) return either;
  const fold = {
    initialState: [first.initialState, second.initialState],
    evolve([mine, others]: readonly [unknown, unknown], event: DomainEvent): readonly [unknown, unknown] {
      return one.knows(`${event.type}.v1`)
        ? [first.evolve(mine, event), others]
        : [mine, second.evolve(others, event)];
    },
  };
  return { ...either, fold };
}

/**
 * What reads the events of a category's streams, and no others: a charge in the stream of a domain is damaged there.
 * @returns undefined for a category that has no events of its own.
 */
export function codecOfCategory(category: string): CategoryCodec | undefined {
  return codecs.get(category);
}
