import { realTiming } from "@hostledger/runtime";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import type { Instance } from "../support/instance.ts";
import {
  keyedOperations,
  openThings,
  sendOperation,
  type KeyedOperation,
  type Things,
} from "../support/keyed-operations.ts";
import { itemsOf } from "../support/matchers.ts";
import { inShort, retryable } from "../support/promises.ts";
import type { RestAnswer } from "../support/rest-client.ts";
import { settled } from "../support/settled.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { customerAt, offerServers, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Every operation that changes something, asked for at three replicas at the same moment. */

const rounds = 4;
/** By so much at most the copies of a request are apart, every other round, in milliseconds. */
const spreadMs = 20;

let postgres: PostgresServer;
let place: SharedPlace;
let staff: Instance["staff"];
/** The customer, at each replica. */
let customers: readonly Customer[];
let openRound: (round: number) => Promise<Things>;

beforeAll(async () => {
  postgres = await startPostgresServer();
  place = await startSharedPlace(postgres);
  const first = await place.replica();
  const replicas = [first, await place.replica(), await place.replica()];
  ({ staff } = first);
  await sell(staff, "com");
  const { planId, regionId } = await offerServers(staff);
  const customer = await openCustomer(staff, first.baseUrl, { balanceCents: 1_000_000n });
  customers = replicas.map(({ baseUrl }) => customerAt(baseUrl, customer));
  openRound = async (round) => {
    const rented = { accountId: BigInt(customer.accountId), planId, regionId, months: 1, whitelisted: true };
    const { serverId } = await staff.servers.provisionServer(rented);
    const offer = { planId: Number(planId), regionId: Number(regionId) };
    return openThings(customer, { ...offer, round, server: Number(serverId) });
  };
});

afterAll(async () => {
  await place.close();
  await postgres.stop();
});

/** Separates the copies of a request slightly, in every other round. */
async function apart(round: number): Promise<void> {
  if (round % 2 === 0) await realTiming.sleep(Math.random() * spreadMs);
}

/** Asks until there is an answer for good. */
async function persist(
  customer: Customer,
  operation: KeyedOperation,
  headers: Readonly<Record<string, string>>,
): Promise<RestAnswer> {
  for (;;) {
    const answer = await sendOperation(customer, operation, headers);
    if (!retryable.includes(inShort(answer))) return answer;
    await realTiming.sleep(50);
  }
}

const secretMembers = ["key", "secret"];

/** Returns an answer with null for members that only the first answer shows. */
function withoutSecret(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secretMembers.includes(name) ? null : value]),
  );
}

function showsSecret(body: unknown): boolean {
  return (
    typeof body === "object" &&
    body !== null &&
    Object.entries(body).some(([name, value]) => secretMembers.includes(name) && value !== null)
  );
}

it("a request under one key has one outcome, on any replicas", { timeout: 180_000 }, async () => {
  for (let round = 1; round <= rounds; round += 1) {
    for (const operation of keyedOperations(await openRound(round))) {
      const headers = { "idempotency-key": `${String(round)}-${operation[0].replaceAll(" ", "-")}` };
      const answers = await Promise.all(
        customers.map(async (customer) => {
          await apart(round);
          return persist(customer, operation, headers);
        }),
      );
      const [first] = answers;
      expect([operation[0], inShort(first)]).toEqual([operation[0], expect.stringMatching(/^20[012]$/)]);
      const outcome = { status: first?.status, body: withoutSecret(first?.body) };
      for (const { status, body } of answers)
        expect([operation[0], { status, body: withoutSecret(body) }]).toEqual([operation[0], outcome]);
      // At most one answer shows a key or a secret.
      expect(answers.filter(({ body }) => showsSecret(body)).length, operation[0]).toBeLessThanOrEqual(1);
    }
  }
});

it(
  "every answer matches the OpenAPI document during concurrent requests for the same resources",
  { timeout: 180_000 },
  async () => {
    for (let round = rounds + 1; round <= 2 * rounds; round += 1) {
      const things = await openRound(round);
      const [domain, server] = [`/domains/${String(things.domain)}`, `/servers/${String(things.server)}`];
      const ended = [
        `${domain}/dns/${String(things.record)}`,
        `${domain}/dns/rrsets/whole/A`,
        domain,
        `${server}/firewall/0`,
        `/webhooks/${String(things.webhook)}`,
      ];
      const asked: readonly ((customer: Customer) => Promise<RestAnswer>)[] = [
        ...keyedOperations(things).flatMap((operation) => {
          const ask = (customer: Customer): Promise<RestAnswer> => sendOperation(customer, operation);
          return [ask, ask];
        }),
        ...ended.map((path) => (customer: Customer) => customer.delete(path)),
        (customer) => customer.post(`${server}/cancel`, { at: "now" }),
      ];
      const answers = await Promise.all(
        customers.flatMap((customer, replica) =>
          asked
            .filter((_, index) => (index + round) % customers.length === replica)
            .map(async (ask) => {
              await apart(round);
              return inShort(await ask(customer));
            }),
        ),
      );
      expect(answers).toHaveLength(asked.length);
      expect(answers.filter((answer) => answer.startsWith("5"))).toEqual([]);
    }
  },
);

const settling = { timeout: 60_000, interval: 500 };
const isTopUp = ({ action }: Readonly<Record<string, unknown>>) => action === "topup";

it("books, registrar, DNS server, nodes and read models agree at the end", async () => {
  await settled(staff);
  // Payments of the last seconds are still asked about, then credited with a receipt.
  await expect
    .poll(async () => {
      const [customer] = customers;
      const topups = itemsOf((await customer?.get("/billing/topups"))?.body);
      const receipts = itemsOf((await customer?.get("/billing/invoices"))?.body).filter(isTopUp);
      return {
        pending: topups.filter(({ state }) => state === "pending").length,
        uncredited: topups.length + 1 - receipts.length,
      };
    }, settling)
    .toEqual({ pending: 0, uncredited: 0 });
  const testimony = await hear(staff, customers.slice(0, 1));
  await place.stop();
  expect(auditBooks({ events: await readEventsOf(place.data), ...testimony })).toEqual([]);
});
