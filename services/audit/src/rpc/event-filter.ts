import { paidOrders } from "@hostledger/core";
import { bareType, type Event } from "@hostledger/audit/reports";

/** Filter of events; undefined or empty members do not filter. Instants have six fractional digits. */
export interface EventFilter {
  readonly stream: string | undefined;
  readonly accountId: number | undefined;
  /** Inclusive. */
  readonly fromTime: string | undefined;
  /** Exclusive. */
  readonly toTime: string | undefined;
  /** Without version. */
  readonly types: ReadonlySet<string>;
  /** Streams of process runs that the account's charges name. */
  readonly accountRuns: ReadonlySet<string>;
}

const runPrefixes = paidOrders.map(({ category }) => `${category}-`);

/** Maximum streams of process runs remembered per read. */
const maximumRuns = 100_000;

/**
 * Makes the filter. It must get the events in log order: a run's stream belongs to the account from the event that names
 * the account on, because later events of the run do not repeat it.
 */
export function eventFilter(filter: EventFilter): (event: Event) => boolean {
  const { stream, accountId, fromTime, toTime, types } = filter;
  const isOfAccount = accountId === undefined ? () => true : accountFilter(accountId, filter.accountRuns);
  return (event) =>
    // First, because it must see every event.
    isOfAccount(event) &&
    (stream === undefined || event.stream === stream) &&
    (fromTime === undefined || event.time >= fromTime) &&
    (toTime === undefined || event.time < toTime) &&
    (types.size === 0 || types.has(bareType(event)));
}

/** Tests only the text, because parsing every event of a log would cost far more than reading it. */
function accountFilter(accountId: number, known: ReadonlySet<string>): (event: Event) => boolean {
  const own = `account-${String(accountId)}`;
  const named = new RegExp(`"accountId"\\s*:\\s*${String(accountId)}\\s*[,}]`, "u");
  const acted = new RegExp(`"actor"\\s*:\\s*"account:${String(accountId)}[:"]`, "u");
  const runs = new Set(known);
  return ({ stream, data, metadata }) => {
    if (stream === own || runs.has(stream)) return true;
    const isNamed = data.includes('"accountId"') && named.test(data);
    if (isNamed && isRun(stream) && runs.size < maximumRuns) runs.add(stream);
    return isNamed || (metadata.includes("account:") && acted.test(metadata));
  };
}

/** True for the stream of a process run, whose events all concern one account. */
function isRun(stream: string): boolean {
  return runPrefixes.some((prefix) => stream.startsWith(prefix));
}
