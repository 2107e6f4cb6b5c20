import { CuttableWire, type CutMoment } from "@hostledger/providers/testing";
import type { StaffClient } from "@hostledger/rpc";
import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { allEnded, instantOf } from "../support/late-table/late-table.ts";
import { itemsOf, type JsonObject } from "../support/matchers.ts";
import type { RestAnswer } from "../support/rest-client.ts";
import { balanceOf, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, registrantProfile, sell, type Customer } from "../support/staff-client.ts";
import { openTestRegistry } from "../support/test-providers.ts";

/**
 * Calls to a registry over EPP, with the connection cut at each command, before and after the registry carries it
 * out (RFC 5734 §2 leaves open which happened). In the end books and registry agree, and what is charged is held.
 */

const wire = new CuttableWire();
const moments: readonly CutMoment[] = ["before", "after"];
const dayMs = 86_400_000;

const directory = temporaryDirectory();
let clock: VirtualClock;
let instance: Instance;
let names = 0;

async function openAt(at?: string): Promise<void> {
  clock = virtualClock(at);
  instance = await startInstance({
    data: directory.path,
    clock,
    providers: (data, time, environment) => openTestRegistry(data, time, environment, wire),
  });
}

beforeAll(async () => {
  await openAt();
  await sell(instance.staff, "com");
  // The registry knows the service's nameservers from now on.
  await registerName(await newCustomer(), "first.com");
});

afterAll(async () => {
  await instance.close();
  directory.remove();
});

afterEach(() => {
  wire.watch();
});

/** Creates a customer unknown to the registry, with 1,000.00 EUR. */
async function newCustomer(): Promise<Customer> {
  const { staff, baseUrl } = instance;
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 100_000n });
  const accountId = BigInt(customer.accountId);
  await staff.accounts.setProfile({ accountId, changes: registrantProfile });
  return customer;
}

function newName(label: string): string {
  names += 1;
  return `${label}-${String(names)}.com`;
}

/** Customer and name of a course. */
interface Subject {
  readonly customer: Customer;
  readonly name: string;
}

/** Something that a customer asks for. */
interface Course {
  readonly what: string;
  /** Prepares the name on a connection that is not cut. */
  prepare(): Promise<Subject>;
  ask(subject: Subject): Promise<RestAnswer>;
  /** The status when it was done; any other is a refusal. */
  readonly done: number;
  /** Cents that it costs. */
  readonly price: number;
  /** Returns whether the registry carried the call out, by its own books. */
  isDone(held: JsonObject | undefined, name: string): boolean;
}

const newSubject = (label: string) => async (): Promise<Subject> => ({
  customer: await newCustomer(),
  name: newName(label),
});

async function registered(): Promise<Subject> {
  const subject = await newSubject("cut")();
  await registerName(subject.customer, subject.name);
  return subject;
}

const hostsBelow = (name: string): readonly string[] => [`ns1.${name}`, `ns2.${name}`];

async function withHostRecords(): Promise<Subject> {
  const { customer, name } = await registered();
  for (const host of ["ns1", "ns2"])
    await customer.post(`/domains/${name}/dns`, { type: "A", name: host, value: "192.0.2.53" });
  return { customer, name };
}

const isLocked = (held: JsonObject | undefined): boolean => held?.transferLock === true;

const courses: readonly Course[] = [
  {
    what: "a registration",
    prepare: newSubject("cut"),
    ask: ({ customer, name }) => customer.post("/domains", { domain: name }),
    done: 201,
    price: 1_190,
    isDone: isLocked,
  },
  {
    what: "a renewal",
    prepare: registered,
    ask: ({ customer, name }) => customer.post(`/domains/${name}/renew`, { years: 1 }),
    done: 200,
    price: 1_428,
    isDone: (held) => yearOf(held?.expiresAt) === yearOf(held?.registeredAt) + 2,
  },
  {
    what: "a transfer to us",
    prepare: newSubject("elsewhere"),
    ask: ({ customer, name }) => customer.post("/domains/transfer", { domain: name, auth_code: "let-me-go" }),
    done: 202,
    price: 1_190,
    isDone: isLocked,
  },
  {
    what: "a delegation to nameservers below the name",
    prepare: withHostRecords,
    ask: ({ customer, name }) =>
      customer.put(`/domains/${name}/nameservers`, {
        use_rdp_nameservers: false,
        nameservers: hostsBelow(name),
      }),
    done: 200,
    price: 0,
    isDone: (held, name) => String(held?.nameservers) === String(hostsBelow(name)),
  },
  {
    what: "a change of lock and privacy",
    prepare: registered,
    ask: ({ customer, name }) =>
      customer.put(`/domains/${name}/settings`, { lock_status: false, whois_privacy: false }),
    done: 200,
    price: 0,
    isDone: (held) => held?.transferLock === false && held.whoisPrivacy === false,
  },
];

function yearOf(instant: unknown): number {
  return Number(String(instant).slice(0, 4));
}

async function heldAtRegistry(staff: StaffClient, name: string): Promise<JsonObject | undefined> {
  const { registrar } = await staff.domains.showSandbox({});
  return itemsOf(registrar).find((held) => held.name === name);
}

/** Returns our books' data about an active name, in the registry's terms. */
async function heldInBooks({ customer, name }: Subject): Promise<JsonObject | undefined> {
  const all = itemsOf((await customer.get("/domains")).body);
  const ours = all.find((domain) => domain.domain_name === name && domain.status === "active");
  if (ours === undefined) return undefined;
  const {
    nameservers,
    lock_status: transferLock,
    whois_privacy: whoisPrivacy,
    expiry_date: expiresAt,
  } = ours;
  return { nameservers, transferLock, whoisPrivacy, expiresAt };
}

interface Ending {
  readonly status: number;
  readonly commands: readonly string[];
  /** False where fewer commands were sent than the one that was to be cut. */
  readonly isCut: boolean;
  /** In cents. */
  readonly charged: number;
  readonly isDone: boolean;
}

/** Takes a course with the connection cut at a command, and waits until books and registry agree. */
async function take(course: Course, cut: { at: number; moment: CutMoment }): Promise<Ending> {
  const subject = await course.prepare();
  const { customer, name } = subject;
  const before = Number(await balanceOf(customer));
  wire.watch(cut);
  const { status } = await course.ask(subject);
  const commands = [...wire.sent];
  const { isCut } = wire;
  await allEnded(clock, instance.staff);
  const isDone = await eventually(clock, async () => {
    const there = await heldAtRegistry(instance.staff, name);
    const here = await heldInBooks(subject);
    expect(here === undefined).toBe(there === undefined);
    expect(there ?? {}).toMatchObject(here ?? {});
    return course.isDone(there, name);
  });
  const charged = Math.round((before - Number(await balanceOf(customer))) * 100);
  return { status, commands, isCut, charged, isDone };
}

/** Takes a course with the connection cut at its first command, at its second, and so on until it has none left to be cut. */
async function takeCut(course: Course, moment: CutMoment): Promise<void> {
  for (let at = 0; ; at += 1) {
    const { status, commands, isCut, charged, isDone } = await take(course, { at, moment });
    const seen = { at, commands, status, charged, isDone };
    expect(seen).toEqual({ ...seen, charged: isDone ? course.price : 0 });
    // A confirmed order must be carried out.
    if (status === course.done) expect(seen).toMatchObject({ isDone: true });
    if (isCut) continue;
    expect(seen).toMatchObject({ status: course.done, isDone: true });
    expect(at).toBeGreaterThan(1);
    return;
  }
}

describe.each(moments)("if the connection is cut %s any EPP command", (moment) => {
  it.each(courses)("$what is charged and delivered, or neither", (course) => takeCut(course, moment));
});

it("leaves books, registry, documents and lists that agree", async () => {
  const events = await readEventsOf(directory.path);
  const testimony = await hear(instance.staff, []);
  expect(auditBooks({ events, ...testimony })).toEqual([]);
  expect(testimony.holdings.registrar.length).toBeGreaterThan(courses.length);
});

describe("a name that its registry withholds", () => {
  const withheld: Subject[] = [];
  const restoration: Course = {
    what: "a restoration",
    prepare() {
      const next = withheld.pop();
      if (next === undefined) throw new Error("All names were had back.");
      return Promise.resolve(next);
    },
    ask: ({ customer, name }) => customer.post(`/domains/${name}/restore`, {}),
    done: 200,
    price: 9_520,
    isDone: (held) => held !== undefined && yearOf(held.expiresAt) === yearOf(held.registeredAt) + 2,
  };

  beforeAll(async () => {
    const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 1_000n, active: true };
    await instance.staff.domains.setPrice({ tld: "com", ...prices, restoreCents: 8_000n });
    for (let count = 0; count < 20; count += 1) withheld.push(await registered());
    const later = new Date(Date.parse(instantOf(clock)) + 412 * dayMs).toISOString();
    await instance.close();
    await openAt(later);
    for (const [index, { customer, name }] of withheld.entries())
      withheld[index] = { name, customer: customerAt(instance.baseUrl, customer) };
    await instance.staff.clock.acceptClock({});
    // Work that was due meanwhile happens on its own: the registry withholds unrenewed names.
    await eventually(clock, async () => {
      const { registrar } = await instance.staff.domains.showSandbox({});
      expect(registrar.filter(({ name }) => withheld.some((subject) => subject.name === name))).toEqual([]);
    });
    await allEnded(clock, instance.staff);
  });

  it.each(moments)("is restored and charged, or neither, if the connection is cut %s any command", (moment) =>
    takeCut(restoration, moment),
  );
});
