import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { brokenPromises, type Attempt } from "../support/promises.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { settled } from "../support/settled.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/**
 * Kills a real process under load at random times, also while it takes over earlier runs. Answers to customers must
 * stay true, and books, registrar, DNS server and read models must agree.
 */

const clients = 16;
const rounds = 5;
const environment = { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400", HOSTLEDGER_SANDBOX_LIMBO_MS: "2000" };

/** Every label of the sandbox; ordinary names are the most. */
const labels = [
  "name",
  "name",
  "name",
  "name",
  "name",
  "name",
  "nozone",
  "badns",
  "lost",
  "limbo",
  "timeout",
  "refused",
  "offline",
  "taken",
  "slow",
];

/** Possible answers to a registration, whatever happens. */
const answers = [
  "nothing",
  "201",
  "400 insufficient_balance",
  "409 registration_in_flight",
  "422 domain_taken",
  "422 domain_not_available",
  "500 registrar_failed",
];

// The seed moves the labels, the accounts and the kills; the machine moves everything else.
const random = seededRandom(20_261_121);
let directory: ReturnType<typeof temporaryDirectory>;
let instance: InstanceProcess;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(async () => {
  await instance.kill();
  directory.remove();
});

async function startAgain(): Promise<void> {
  instance = await startInstanceProcess(directory.path, { environment });
}

it(`settles everything after at least ${String(rounds)} kills under load`, async () => {
  await startAgain();
  await sell(instance.staff, "com");
  const accounts: Customer[] = [];
  // The last account can pay for a few domains only, so that charges are refused in the middle of everything.
  for (const balanceCents of [10_000_000n, 10_000_000n, 10_000_000n, 20_000n])
    accounts.push(await openCustomer(instance.staff, instance.baseUrl, { balanceCents }));

  const attempts: Attempt[] = [];
  // A slow machine gets less done before each kill, so rounds follow until enough was acknowledged to show something.
  for (let round = 0; round < rounds || registrations(attempts) <= clients; round += 1) {
    if (round > 0) await startAgain();
    const here = accounts.map((account) => customerAt(instance.baseUrl, account));
    const working = Promise.all(Array.from({ length: clients }, () => registerUntilDeath(here, attempts)));
    await realTiming.sleep(50 + random.next() * 2_500);
    await instance.kill();
    await working;
  }

  await startAgain();
  await settled(instance.staff);
  const testimony = await hear(
    instance.staff,
    accounts.map((account) => customerAt(instance.baseUrl, account)),
  );
  expect(await instance.stop()).toBe(0);
  expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
  expect(brokenPromises(attempts, testimony.shown, answers)).toEqual([]);
  // Without these the test would show little.
  expect(attempts.filter(({ answer }) => answer === undefined).length).toBeGreaterThanOrEqual(rounds);
  expect(registrations(attempts)).toBeGreaterThan(clients);
});

function registrations(attempts: readonly Attempt[]): number {
  return attempts.filter(({ answer }) => answer?.status === 201).length;
}

async function registerUntilDeath(customers: readonly Customer[], attempts: Attempt[]): Promise<void> {
  for (;;) {
    const [first, ...others] = customers;
    if (first === undefined) throw new Error("nobody is there to register a name");
    const customer = random.pick([first, ...others]);
    const attempt: Attempt = { accountId: customer.accountId, name: nextName(attempts), answer: undefined };
    attempts.push(attempt);
    const ownNameservers = attempt.name.startsWith("badns") || random.next() < 0.2;
    const nameservers = ["ns1.customer.example", "ns2.customer.example"];
    try {
      attempt.answer = await customer.post("/domains", {
        domain: attempt.name,
        ...(ownNameservers ? { nameservers } : {}),
      });
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

/** Mostly a new name; one in eight was asked for before, perhaps by another, perhaps at this moment. */
function nextName(attempts: readonly Attempt[]): string {
  const earlier = attempts[Math.floor(random.next() * attempts.length * 8)];
  if (earlier !== undefined) return earlier.name;
  const label = labels[Math.floor(random.next() * labels.length)] ?? "name";
  return `${label}-${String(attempts.length)}.com`;
}
