import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";

import { property } from "./books.ts";
import { inShort, retryable, type Attempt } from "./promises.ts";
import type { RestAnswer } from "./rest-client.ts";
import type { Customer } from "./staff-client.ts";

/** A registration that a client does not give up: the same request under the same key until there is an answer for good. */
export interface Purchase extends Attempt {
  readonly key: string;
  /** Every answer on the way, in short. */
  readonly steps: string[];
  /** Answers that no client could act upon, a sentence each. */
  readonly faults: string[];
}

/** Maximum pause before a request is repeated, in milliseconds, whatever `Retry-After` says. */
const longestPauseMs = 1_000;
/** Time for which a client repeats a request, in milliseconds. */
const waitLimitMs = 180_000;

/** Registers a name as a careful client does. Reports the purchase at once and completes it later. */
export async function persist(customer: Customer, purchase: Purchase): Promise<void> {
  const until = monotonicMilliseconds() + waitLimitMs;
  while (monotonicMilliseconds() < until) {
    const answer = await attempt(customer, purchase);
    const short = inShort(answer);
    purchase.steps.push(short);
    if (answer !== undefined && !retryable.includes(short)) {
      purchase.answer = answer;
      if (answer.status >= 500 && short !== "500 registrar_failed")
        purchase.faults.push(`${purchase.name} was answered ${JSON.stringify(answer.body)}`);
      return;
    }
    await realTiming.sleep(pauseAfter(answer, purchase));
  }
  purchase.faults.push(`${purchase.name} got no answer for good: ${purchase.steps.slice(-20).join(", ")}`);
}

async function attempt(customer: Customer, { name, key, faults }: Purchase): Promise<RestAnswer | undefined> {
  try {
    return await customer.post("/domains", { domain: name }, { "Idempotency-Key": key });
  } catch (error) {
    // fetch throws it when the connection breaks; any other says that the answer is none of the contract's.
    if (!(error instanceof TypeError)) faults.push(String(error));
    return undefined;
  }
}

function pauseAfter(answer: RestAnswer | undefined, { name, faults }: Purchase): number {
  if (answer === undefined) return 50 + Math.random() * 100;
  const seconds = answer.headers.get("retry-after");
  if (answer.status === 503 && !/^\d+$/.test(seconds ?? ""))
    faults.push(`${name} was answered 503 without a time to try again: ${JSON.stringify(answer.body)}`);
  return Math.min(Number(seconds ?? "1") * 1_000, longestPauseMs);
}

/** Clients at work. */
export interface Load {
  /** All that were begun, in order. */
  readonly purchases: readonly Purchase[];
  /** Lets every client finish its present request, and stops. */
  finish(): Promise<void>;
  /** Waits until so many more have got an answer for good. @throws Error when that takes too long. */
  progress(more: number): Promise<void>;
}

/** Starts so many clients, each registering one name after the other. @param labels of the sandbox, taken in turn. */
export function startLoad(
  customers: readonly Customer[],
  {
    clients,
    labels,
    prefix,
    restMs = 0,
    register = persist,
  }: {
    readonly clients: number;
    readonly labels: readonly string[];
    readonly prefix: string;
    /** From an answer to the client's next order, in the mean: where a fleet is waited for, and not its orders. */
    readonly restMs?: number;
    readonly register?: (customer: Customer, purchase: Purchase) => Promise<void>;
  },
): Load {
  const purchases: Purchase[] = [];
  let isOver = false;
  const answered = (): number => purchases.filter(({ answer }) => answer !== undefined).length;

  async function work(client: number): Promise<void> {
    const customer = customers[client % customers.length];
    if (customer === undefined) throw new Error("there are no customers");
    while (!isOver) {
      const number = purchases.length;
      const name = `${labels[number % labels.length] ?? "name"}-${prefix}-${String(number)}.com`;
      const { accountId } = customer;
      const key = `key-${prefix}-${String(number)}`;
      const purchase: Purchase = { accountId, name, key, answer: undefined, steps: [], faults: [] };
      purchases.push(purchase);
      await register(customer, purchase);
      await realTiming.sleep(Math.random() * 2 * restMs);
    }
  }

  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return {
    purchases,
    async finish() {
      isOver = true;
      await working;
    },
    async progress(more) {
      const [goal, until] = [answered() + more, monotonicMilliseconds() + waitLimitMs];
      while (answered() < goal) {
        if (monotonicMilliseconds() > until)
          throw new Error(`only ${String(answered())} of ${String(goal)} purchases were answered`);
        await realTiming.sleep(20);
      }
    },
  };
}

/** Counts the answers, for messages. */
export function tally(purchases: readonly Purchase[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const step of purchases.flatMap(({ steps }) => steps)) counts.set(step, (counts.get(step) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted());
}

/** Names of one account's domains that were acknowledged. */
export function acknowledged(purchases: readonly Purchase[]): readonly string[] {
  return purchases.flatMap(({ answer }) =>
    answer?.status === 201 ? [String(property(property(answer.body, "domain"), "domain_name"))] : [],
  );
}
