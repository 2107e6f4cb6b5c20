import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";

import type { InstanceProcess } from "./instance-process.ts";
import { inShort } from "./promises.ts";
import type { RestAnswer } from "./rest-client.ts";
import { openCustomer, type Customer } from "./staff-client.ts";

/** Customers who continue as usual while an unrelated failure happens. */
export interface Bystanders {
  /**
   * Records their results during a period, under its name.
   * @param options.mayRefuse permitted answers, in the form of `inShort`
   */
  during(
    what: string,
    work: () => Promise<unknown>,
    options?: { readonly mayRefuse?: readonly string[] },
  ): Promise<void>;
  /** Answers since it was last asked that were none that such a customer expects. */
  complaints(): string[];
  /** Returns medians and maxima of the requests, in milliseconds, for each recorded period. */
  table(): string;
  stop(): Promise<void>;
}

interface Seen {
  readonly what: string;
  readonly action: string;
  readonly ms: number;
}

/** Between two requests of one bystander: a load, and not one that fills the machine. */
const pauseMs = 20;

/** Starts two customers who register, and two who read their data. */
export function startBystanders({ staff, baseUrl }: InstanceProcess): Bystanders {
  const seen: Seen[] = [];
  let complaints: string[] = [];
  let now: { readonly what: string; readonly mayRefuse: readonly string[] } = { what: "", mayRefuse: [] };
  const stopping = new AbortController();

  async function note(action: string, expected: number, ask: () => Promise<RestAnswer>): Promise<void> {
    const { what, mayRefuse } = now;
    const startedMs = monotonicMilliseconds();
    const answer = await ask();
    seen.push({ what, action, ms: monotonicMilliseconds() - startedMs });
    const mayBe = [...mayRefuse, ...now.mayRefuse];
    if (answer.status !== expected && !mayBe.includes(inShort(answer)))
      complaints.push(`${what}: ${action} ${String(answer.status)} ${JSON.stringify(answer.body)}`);
  }

  let names = 0;
  const habits: readonly ((customer: Customer) => Promise<void>)[] = [
    (customer) =>
      note("POST /domains", 201, () =>
        customer.post("/domains", { domain: `mine-${String((names += 1))}.com` }),
      ),
    (customer) => note("GET /domains", 200, () => customer.get("/domains?limit=20")),
    (customer) => note("GET /billing/balance", 200, () => customer.get("/billing/balance")),
  ];
  const work = habits.map(async (habit) => {
    const customer = await openCustomer(staff, baseUrl, { balanceCents: 100_000_000n });
    while (!stopping.signal.aborted) {
      await habit(customer);
      await realTiming.sleep(pauseMs);
    }
  });
  return {
    async during(what, happens, { mayRefuse = [] } = {}) {
      const before = now;
      now = { what, mayRefuse };
      try {
        await happens();
      } finally {
        now = before;
      }
    },
    complaints() {
      const said = complaints;
      complaints = [];
      return said;
    },
    table: () => tableOf(seen),
    async stop() {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

function tableOf(seen: readonly Seen[]): string {
  const lines = [...Map.groupBy(seen, ({ what, action }) => `${what} | ${action}`)].map(([name, group]) => {
    const sorted = group.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return `| ${name} | ${String(sorted.length)} | ${median.toFixed(1)} | ${(sorted.at(-1) ?? 0).toFixed(0)} |`;
  });
  return [
    "| during | request | times | median ms | slowest ms |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
    "",
  ].join("\n");
}
