import { paidOrders } from "@hostledger/core";
import { bareType, type Fact } from "@hostledger/reports";

/** Which facts are wanted; what is undefined or empty does not filter. Instants have six fractional digits. */
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

/** How the streams of process runs begin. */
const runPrefixes = paidOrders.map(({ category }) => `${category}-`);

/** The most streams of process runs that are kept for one reading. */
const maximumRuns = 100_000;

/**
 * Builds the test whether a fact is wanted. It is to see facts in log order: a run's stream is the account's from the fact
 * that names the account on, although the run's later facts do not name it again.
 */
export function eventFilter(filter: EventFilter): (fact: Fact) => boolean {
  const { stream, accountId, fromTime, toTime, types } = filter;
  const isOfAccount = accountId === undefined ? () => true : accountFilter(accountId, filter.accountRuns);
  return (fact) =>
    // First, since it learns from every fact.
    isOfAccount(fact) &&
    (stream === undefined || fact.stream === stream) &&
    (fromTime === undefined || fact.time >= fromTime) &&
    (toTime === undefined || fact.time < toTime) &&
    (types.size === 0 || types.has(bareType(fact)));
}

/** Looks at the text only: to parse every fact of a log would cost far more than to read it. */
function accountFilter(accountId: number, known: ReadonlySet<string>): (fact: Fact) => boolean {
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

/** True for the stream of a process run, whose facts are all about one account. */
function isRun(stream: string): boolean {
  return runPrefixes.some((prefix) => stream.startsWith(prefix));
}
