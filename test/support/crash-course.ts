import type { EventStore } from "@hostledger/store";
import { defined, realTiming } from "@hostledger/runtime";
import { type VirtualClock, temporaryDirectory } from "@hostledger/runtime/testing";

import { auditBooks, hear, property, readEvents } from "./books.ts";
import { listed } from "./books/books-event.ts";
import { startInstance } from "./instance.ts";
import { inShort } from "./promises.ts";
import type { RestAnswer } from "./rest-client.ts";
import { settled } from "./settled.ts";
import { customerAt, openCustomer, sell, type Customer } from "./staff-client.ts";

/** Short waits, so that the courses are quick; long enough that a registrar in limbo outlasts the questions. */
export const courseEnvironment = {
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300",
  HOSTLEDGER_SANDBOX_LIMBO_MS: "2500",
};

/**
 * A busy machine can be so slow that a time limit sends a registration another way, for example when a registrar leaves
 * limbo before the last question: such an attempt shows nothing and is repeated, so often at most.
 */
export const attempts = 5;

/** A possible course of a registration. */
export interface Course {
  /** Name with a label that controls the sandbox. */
  readonly name: string;
  readonly nameservers?: readonly string[];
  readonly balanceCents: bigint;
  /** Another registration takes the money between the check of the balance and the charge. */
  readonly losesMoneyTo?: string;
  /** Status and code of a request for the name when nothing has crashed and the name is free. */
  readonly answer: string;
}

/** The price of a year with its VAT. */
const priceCents = 1_190;

/** A data directory with prices and one customer, to be copied for each crash. */
export interface Start {
  readonly data: string;
  readonly customer: Pick<Customer, "accountId" | "apiKey">;
  /** By which its instances wait; the machine's clock without it. */
  readonly clock?: VirtualClock;
  remove(): void;
}

/** Prepares the start of a course. @param by the clock by which its instances wait, without which it is the machine's */
export async function prepareStart({ balanceCents }: Course, by?: VirtualClock): Promise<Start> {
  const { path, remove } = temporaryDirectory();
  const waiting = by === undefined ? {} : { clock: by };
  const instance = await startInstance({ data: path, environment: courseEnvironment, ...waiting });
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents });
  await instance.close();
  return { data: path, customer, remove, ...waiting };
}

/** Registers a name. @returns undefined when the connection broke before the answer. */
export async function register(
  client: Customer,
  domain: string,
  nameservers: readonly string[] | undefined,
): Promise<RestAnswer | undefined> {
  try {
    return await client.post("/domains", { domain, ...defined({ nameservers }) });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Starts an instance on the data after a crash, lets everything settle, and requests the name again.
 * @param acknowledged answer that the client got before the crash.
 * @returns a sentence per finding.
 */
export async function recover(
  course: Course,
  start: Start,
  data: string,
  acknowledged: RestAnswer | undefined,
): Promise<readonly string[]> {
  const stores: EventStore[] = [];
  const instance = await startInstance({
    data,
    environment: courseEnvironment,
    ...(start.clock === undefined ? {} : { clock: start.clock }),
    decorate: {
      store(store) {
        stores.push(store);
        return store;
      },
    },
  });
  try {
    const [store] = stores;
    if (store === undefined) throw new Error("the instance has opened no store");
    const customer = customerAt(instance.baseUrl, start.customer);
    const auditAtRest = async (): Promise<readonly string[]> => {
      await settled(instance.staff, start.clock ?? realTiming);
      return auditBooks({ events: await readEvents(store), ...(await hear(instance.staff, [customer])) });
    };
    const findings = [...(await auditAtRest())];
    const isRegistered = await holds(customer, course.name);
    if (acknowledged !== undefined && (acknowledged.status === 201) !== isRegistered)
      findings.push(
        `it answered ${inShort(acknowledged)}, the name is ${isRegistered ? "" : "not "}registered`,
      );
    const expected = await answerNow(course, customer, isRegistered);
    const again = await register(customer, course.name, course.nameservers);
    if (inShort(again) !== expected)
      findings.push(`asked again it answers ${inShort(again)}, not ${expected}`);
    findings.push(...(await auditAtRest()));
    return findings;
  } finally {
    await instance.close();
  }
}

async function holds(customer: Customer, name: string): Promise<boolean> {
  const { body } = await customer.get("/domains");
  return listed(body).some((domain) => property(domain, "domain_name") === name);
}

/** Returns the answer that the contract requires for a request of the name now. */
async function answerNow(course: Course, customer: Customer, isRegistered: boolean): Promise<string> {
  if (isRegistered) return "422 domain_taken";
  const { body } = await customer.get("/billing/balance");
  const balanceCents = Math.round(Number(property(body, "balance")) * 100);
  if (balanceCents < priceCents) return "400 insufficient_balance";
  return course.losesMoneyTo === undefined ? course.answer : "201";
}
