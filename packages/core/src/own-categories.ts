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

/** The processes that charge for an order. */
export const paidOrders = [domainRenewal, registration, serverOrder, serverRenewal, transferIn];

/** Categories without an aggregate in this package: causes of tickets, and times of an import. */
const others = ["ticketcause", "transfer"];

/** Categories of all streams with our own events: `account` of `account-7`. */
export const ownCategories: readonly string[] = [
  ...new Set([
    ...Object.values(aggregates).flatMap((each) => ("category" in each ? [each.category] : [])),
    ...paidOrders.map(({ category }) => category),
    ...others,
  ]),
].sort();

/** Returns the text before the first dash of a stream's name: `account` of `account-17`. */
export function categoryOf(stream: string): string {
  const dashAt = stream.indexOf("-");
  return dashAt === -1 ? stream : stream.slice(0, dashAt);
}

/** Returns the account id in the name of an account's stream: 17 of `account-17`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}

/** Folds a stream's events, for readers that do not use its aggregate. */
export interface StreamFold {
  readonly initialState: unknown;
  /** @throws StoredEventError if the event contradicts the events before it. */
  evolve(state: unknown, event: DomainEvent): unknown;
}

/** Reads and folds the events in streams of a category. */
export interface CategoryCodec extends Pick<EventCodec<DomainEvent>, "decode" | "knows"> {
  /** Absent if no rules fold these streams. */
  readonly fold?: StreamFold;
}

const codecs = new Map<string, CategoryCodec>();

// The quiet period of a provider does not affect folding.
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

/** Adds a codec. Several aggregates may share a category; the event's type selects the codec. */
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
 * Returns the codec for streams of a category. It refuses events of other categories, such as a charge in a domain's
 * stream.
 * @returns undefined for a category without own events.
 */
export function codecOfCategory(category: string): CategoryCodec | undefined {
  return codecs.get(category);
}
