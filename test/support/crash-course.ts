import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { EventStore } from "@hostledger/event-store";

import { auditBooks, hear, property, readFacts } from "./books.ts";
import { listed } from "./books/fact.ts";
import { crashEnvironment } from "./crash-points.ts";
import { startInstanceProcess, type InstanceProcess } from "./instance-process.ts";
import { startInstance, type Instance } from "./instance.ts";
import { inShort } from "./promises.ts";
import type { RestAnswer } from "./rest-client.ts";
import { settled } from "./settled.ts";
import { customerAt, openCustomer, sell, type Customer } from "./staff-client.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const crashingProgram = fileURLToPath(import.meta.resolve("./crashing-instance.ts"));

/** Short waits, so that the courses are quick; long enough that a registrar in limbo outlasts the questions. */
const environment = {
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300",
  HOSTLEDGER_SANDBOX_LIMBO_MS: "2500",
};

/** One way a registration can go. */
export interface Course {
  /** Tells the sandbox how to behave. */
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
  remove(): void;
}

/** Prepares the start of a course. */
export async function prepareStart({ balanceCents }: Course): Promise<Start> {
  const { path, remove } = temporaryDirectory();
  const instance = await startInstance({ data: path, environment });
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents });
  await instance.close();
  return { data: path, customer, remove };
}

/**
 * A busy machine can be so slow that a time limit sends a registration another way, for example when a registrar leaves
 * limbo before the last question: such an attempt shows nothing and is repeated, so often at most.
 */
const attempts = 5;

/** Lets a course run to its end without a crash. @returns its moments in order. */
export async function momentsOf(course: Course, start: Start): Promise<readonly string[]> {
  const answers: string[] = [];
  while (answers.length < attempts) {
    const { answer, moments } = await withCopy(start, async (data) => {
      const attempt = await attemptCourse(course, start, data, 0);
      await settled(attempt.instance.staff);
      await attempt.instance.kill();
      return { answer: inShort(attempt.answer), moments: linesOf(momentsFile(data)) };
    });
    if (answer === course.answer) return moments;
    answers.push(answer);
  }
  throw new Error(`${course.name} answered ${answers.join(", ")} and never ${course.answer}`);
}

/**
 * Crashes a course at a moment, starts again on the same data and lets everything settle; then asks for the name again.
 *
 * @param moments of the course; the crash comes at the one with this index.
 * @returns what is wrong, a sentence each.
 */
export async function crashCourse(
  course: Course,
  start: Start,
  moments: readonly string[],
  index: number,
): Promise<readonly string[]> {
  const others: string[] = [];
  while (others.length < attempts) {
    const outcome = await withCopy(start, (data) => crashOnce(course, start, data, index + 1));
    if (outcome.passed.join() === moments.slice(0, index + 1).join())
      return outcome.findings.map((finding) => `${moments[index] ?? ""}: ${finding}`);
    others.push(outcome.passed.slice(-3).join(", "));
  }
  return [`${moments[index] ?? ""} never came; the last moments were ${others.join(" | ")}`];
}

async function crashOnce(
  course: Course,
  start: Start,
  data: string,
  crashAt: number,
): Promise<{ readonly passed: readonly string[]; readonly findings: readonly string[] }> {
  const { instance, answer } = await attemptCourse(course, start, data, crashAt);
  // A registration can go on after its answer, so the moment may still be to come.
  await Promise.race([instance.ended, settled(instance.staff).catch(() => undefined)]);
  await instance.kill();
  const passed = linesOf(momentsFile(data));
  return { passed, findings: await recover(course, start, data, answer) };
}

async function withCopy<Result>(start: Start, use: (data: string) => Promise<Result>): Promise<Result> {
  const { path, remove } = temporaryDirectory();
  try {
    cpSync(start.data, path, { recursive: true });
    return await use(path);
  } finally {
    remove();
  }
}

async function attemptCourse(
  { name, nameservers, losesMoneyTo }: Course,
  { customer }: Start,
  data: string,
  crashAt: number,
): Promise<{ readonly instance: InstanceProcess; readonly answer: RestAnswer | undefined }> {
  const log = momentsFile(data);
  const plan = { name, log, crashAt, yieldsToOther: losesMoneyTo !== undefined };
  const instance = await startInstanceProcess(data, {
    entry: crashingProgram,
    environment: { ...environment, ...crashEnvironment(plan) },
  });
  const client = customerAt(instance.baseUrl, customer);
  const answering = register(client, name, nameservers);
  if (losesMoneyTo !== undefined) {
    // The name waits at its reservation, with the balance already looked at; unless the process is dead by now.
    const isOver = answering.then(() => true);
    while (!linesOf(log).includes("before append RegistrationReserved"))
      if (await Promise.race([isOver, sleep(10, false)])) break;
    await register(client, losesMoneyTo, undefined);
  }
  return { instance, answer: await answering };
}

/** Registers a name. @returns undefined when the connection broke before the answer. */
async function register(
  client: Customer,
  domain: string,
  nameservers: readonly string[] | undefined,
): Promise<RestAnswer | undefined> {
  try {
    return await client.post("/domains", { domain, ...(nameservers === undefined ? {} : { nameservers }) });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function recover(
  course: Course,
  start: Start,
  data: string,
  acknowledged: RestAnswer | undefined,
): Promise<readonly string[]> {
  const stores: EventStore[] = [];
  const instance = await startInstance({
    data,
    environment,
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
    const findings = [...(await auditAtRest(instance, store, customer))];
    const isRegistered = await holds(customer, course.name);
    if (acknowledged !== undefined && (acknowledged.status === 201) !== isRegistered)
      findings.push(
        `it answered ${inShort(acknowledged)}, the name is ${isRegistered ? "" : "not "}registered`,
      );
    const expected = await answerNow(course, customer, isRegistered);
    const again = await register(customer, course.name, course.nameservers);
    if (inShort(again) !== expected)
      findings.push(`asked again it answers ${inShort(again)}, not ${expected}`);
    findings.push(...(await auditAtRest(instance, store, customer)));
    return findings;
  } finally {
    await instance.close();
  }
}

async function auditAtRest(
  { staff }: Instance,
  store: EventStore,
  customer: Customer,
): Promise<readonly string[]> {
  await settled(staff);
  return auditBooks({ facts: await readFacts(store), ...(await hear(staff, [customer])) });
}

async function holds(customer: Customer, name: string): Promise<boolean> {
  const { body } = await customer.get("/domains");
  return listed(body).some((domain) => property(domain, "domain_name") === name);
}

/** What the contract says about a request for the name as things are now. */
async function answerNow(course: Course, customer: Customer, isRegistered: boolean): Promise<string> {
  if (isRegistered) return "422 domain_taken";
  const { body } = await customer.get("/billing/balance");
  const balanceCents = Math.round(Number(property(body, "balance")) * 100);
  if (balanceCents < priceCents) return "400 insufficient_balance";
  return course.losesMoneyTo === undefined ? course.answer : "201";
}

function momentsFile(data: string): string {
  return join(data, "moments.log");
}

/** The moments so far. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}
