import { eventually, type VirtualClock } from "@hostledger/runtime/testing";
import type { PartDecorators } from "@hostledger/host";
import { plainRegistrar } from "@hostledger/providers/testing";

import { startInstance, type Instance } from "../instance.ts";
import { inShort } from "../promises.ts";
import { copyOfData } from "../snapshots.ts";
import {
  instantOf,
  lookMeanwhile,
  place,
  type Meanwhile,
  type PreparedTable,
  type Purchase,
} from "./late-table.ts";
import { isRegistrarEpp } from "../tried-registrar.ts";
import { settledTable, type SettledTable } from "./settled-table.ts";

/**
 * Latency of every provider call, in milliseconds of the virtual clock, so that the questions of all rows are open
 * at one moment.
 */
const latencyMs = 1_000;

/** All that differs from the defaults. */
export const courseEnvironment = { HOSTLEDGER_SANDBOX_LATENCY_MS: String(latencyMs) };

/** The moments at which the process is killed, in the order in which they come. */
export const moments = [
  "with the orders on their way",
  "after the answers, before the late orders",
  "in the quiet period, after the late orders",
  "while the question is open",
] as const;

/** A moment at which the process is killed. */
export type Moment = (typeof moments)[number];

/** Data of a process that was killed at a moment. */
export interface Remains {
  /** The data directory. */
  readonly data: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Answers that the customers had by then, by the name of the row. */
  readonly answers: ReadonlyMap<string, string>;
  remove(): void;
}

/** Observations of an instance that was not killed. */
export interface Course {
  readonly answers: ReadonlyMap<string, string>;
  readonly meanwhile: ReadonlyMap<string, Meanwhile>;
  readonly settled: SettledTable;
  readonly remains: ReadonlyMap<Moment, Remains>;
}

/** Gives all orders to one instance, copies its data at every moment, and lets everything settle. */
export async function runCourse(
  data: string,
  { purchases }: PreparedTable,
  clock: VirtualClock,
): Promise<Course> {
  const questions = new OpenQuestions();
  const instance = await startInstance({
    data,
    clock,
    environment: courseEnvironment,
    decorate: questions.decorators,
  });
  try {
    return await runOn(instance, purchases, clock, questions);
  } finally {
    await instance.close();
  }
}

async function runOn(
  instance: Instance,
  purchases: readonly Purchase[],
  clock: VirtualClock,
  questions: OpenQuestions,
): Promise<Course> {
  const { baseUrl, data } = instance;
  const answers = new Map<string, string>();
  const meanwhile = new Map<string, Meanwhile>();
  const remains = new Map<Moment, Remains>();
  const give = (purchase: Purchase): Promise<unknown> =>
    place(baseUrl, purchase).then((answer) => answers.set(purchase.name, inShort(answer)));
  const take = (moment: Moment): void => {
    const { path, remove } = copyOfData(data);
    remains.set(moment, { data: path, at: instantOf(clock), answers: new Map(answers), remove });
  };

  // Processes that ask first make one call more, so they start earlier.
  const asking = purchases.filter(({ process }) => process.asksFirst);
  const given = asking.map((purchase) => ({ purchase, answer: give(purchase) }));
  await clock.sleep(latencyMs);
  for (const purchase of purchases)
    if (!purchase.process.asksFirst) given.push({ purchase, answer: give(purchase) });
  await clock.sleep(2 * latencyMs);
  take("with the orders on their way");

  // If the charge stands, the answer waits for the provider; all others are refunded by now.
  const early = given.filter(({ purchase }) => !purchase.process.standsWhileOpen);
  await Promise.all(early.map(({ answer }) => answer));
  await expectHeld(instance, purchases, false);
  take("after the answers, before the late orders");
  for (const purchase of purchases)
    if (purchase.expected.isOpen) meanwhile.set(purchase.name, await lookMeanwhile(baseUrl, purchase));

  await eventually(clock, () => expectHeld(instance, purchases, true));
  take("in the quiet period, after the late orders");
  const unanswered = purchases.filter(({ behaviour }) => behaviour === "late" || behaviour === "timeout");
  await eventually(clock, () => {
    // Over EPP an order is several commands, and rows do not go in step.
    questions.expect(isRegistrarEpp ? 1 : unanswered.length);
  });
  take("while the question is open");

  await Promise.all(given.map(({ answer }) => answer));
  return { answers, meanwhile, settled: await settledTable(instance, clock, purchases), remains };
}

/** @throws Error while the held resources differ from the expectations. */
async function expectHeld(
  { staff }: Instance,
  purchases: readonly Purchase[],
  expected: boolean,
): Promise<void> {
  const holdings = await staff.domains.showSandbox({});
  const others = purchases.filter(
    ({ behaviour, process, requested }) =>
      behaviour === "late" && process.isHeld(holdings, requested) !== expected,
  );
  if (others.length > 0)
    throw new Error(`${others.map(({ name }) => name).join("; ")}: held is not ${String(expected)}`);
}

/** The questions that the providers have been asked and have not answered yet. */
class OpenQuestions {
  #open = 0;

  readonly decorators: PartDecorators = {
    registrar: (registrar) => ({
      ...plainRegistrar(registrar),
      inquire: (name, order) => this.#during(registrar.inquire(name, order)),
      inquireTransfer: (name, order) => this.#during(registrar.inquireTransfer(name, order)),
    }),
    compute: (compute) => ({
      provision: (order) => compute.provision(order),
      inquire: (name) => this.#during(compute.inquire(name)),
      destroy: (name) => compute.destroy(name),
      suspend: (name) => compute.suspend(name),
      resume: (name) => compute.resume(name),
      readFirewall: (name) => compute.readFirewall(name),
      replaceFirewall: (name, firewall) => compute.replaceFirewall(name, firewall),
    }),
  };

  /** @throws Error while fewer are open. */
  expect(least: number): void {
    if (this.#open < least) throw new Error(`${String(this.#open)} questions are open, not ${String(least)}`);
  }

  async #during<Answer>(question: Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    try {
      return await question;
    } finally {
      this.#open -= 1;
    }
  }
}
