import { Code, ConnectError } from "@connectrpc/connect";
import { recentMs, withAppend } from "@hostledger/store";
import { createStaffClient } from "@hostledger/rpc";
import { monotonicMilliseconds, systemClock } from "@hostledger/runtime";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, hear, property, readEventsOf } from "../support/books.ts";
import type { Instance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { settled } from "../support/settled.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { customerAt, openCustomer, sell, staffReadiness, type Customer } from "../support/staff-client.ts";

/** Replicas of which one is not configured as the others are: another clock, another secret, another price in force. */

const day = 86_400_000;

let postgres: PostgresServer;
let place: SharedPlace;
let right: Instance;
let customer: Customer;

beforeAll(async () => {
  postgres = await startPostgresServer();
  place = await startSharedPlace(postgres);
  right = await place.replica();
  await sell(right.staff, "com");
  customer = await openCustomer(right.staff, right.baseUrl, { balanceCents: 1_000_000n });
});

afterAll(async () => {
  await place.close();
  await postgres.stop();
});

const at = (replica: Instance): Customer => customerAt(replica.baseUrl, customer);
const clockOf = async ({ adminUrl, data }: Instance): Promise<unknown> =>
  objectOf((await staffReadiness(adminUrl, data)).parts).clock;

/** Announces a price of the extension for 20 days ahead: the replica that is 40 days ahead takes it for one that holds. */
async function announce(tld: string, registrationCents: bigint): Promise<void> {
  await right.staff.domains.setPrice({
    tld,
    registrationCents,
    renewalCents: 1_200n,
    transferCents: 1_000n,
    active: true,
    validFrom: new Date(systemClock().epochMilliseconds() + 20 * day).toISOString(),
  });
}

describe("a replica with another clock", () => {
  let behind: Instance;
  let ahead: Instance;
  beforeAll(async () => {
    behind = await place.replica({ decorate: { clock: () => systemClock(-600_000) } });
    ahead = await place.replica({ decorate: { clock: () => systemClock(40 * day) } });
  });

  it("reports the difference itself, and the other replicas stay trusted, in any order of starts", async () => {
    expect(await clockOf(behind)).toBe("behind-not-confirmed");
    expect(await clockOf(ahead)).toBe("ahead-not-confirmed");
    expect(await clockOf(right)).toBe("trusted");
    const another = await place.replica();
    expect(await clockOf(another)).toBe("trusted");
    await another.close();
  });

  it("an hour off reports the difference until staff confirm it, then works on, even after a restart", async () => {
    const hourAhead = { decorate: { clock: () => systemClock(3_600_000) } };
    const hour = await place.replica(hourAhead);
    expect(await clockOf(hour)).toBe("ahead-not-confirmed");
    // One confirmation by staff confirms the clocks of all replicas, whichever gets it.
    await right.staff.clock.acceptClock({});
    for (const replica of [hour, ahead, behind, right])
      await expect.poll(() => clockOf(replica), { timeout: 20_000 }).toBe("trusted");
    await hour.close();
    const again = await place.replica(hourAhead);
    expect(await clockOf(again)).toBe("trusted");
    await again.close();
    const further = await place.replica({ decorate: { clock: () => systemClock(2 * 3_600_000) } });
    expect(await clockOf(further)).toBe("ahead-not-confirmed");
    await further.close();
  });

  it("never repeats a number of another replica during concurrent orders", async () => {
    const replicas = [right, behind, ahead];
    const names = Array.from({ length: 12 }, (_, index) => `clock-${String(index)}.com`);
    const answers = await Promise.all(
      names.map((domain, index) => at(replicas[index % 3] ?? right).post("/domains", { domain })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    const invoices = answers.map(({ body }) => property(body, "invoice_id"));
    expect(new Set(invoices).size).toBe(names.length);
    const ids = answers.map(({ body }) => property(property(body, "domain"), "id"));
    expect(new Set(ids).size).toBe(names.length);
  });

  it("shows and charges the same prices as the others", async () => {
    await sell(right.staff, "net", 1_000n);
    await announce("net", 3_000n);
    for (const [index, replica] of [right, behind, ahead].entries()) {
      const answer = await at(replica).post("/domains", { domain: `price-${String(index)}.net` });
      expect(property(answer.body, "amount_charged")).toBe(11.9);
      const pricing = await at(replica).get("/domains/pricing");
      expect(itemsOf(pricing.body).find(({ tld }) => tld === "net")).toMatchObject({
        registration_price: 10,
      });
    }
  });

  it("does not take over a request that another replica is still processing", async () => {
    const held = Promise.withResolvers<undefined>();
    const reached = Promise.withResolvers<undefined>();
    const slow = await place.replica({
      decorate: {
        store: (store) =>
          withAppend(store, async (stream, expected, events) => {
            if (stream.startsWith("registration-")) {
              reached.resolve(undefined);
              await held.promise;
            }
            return store.append(stream, expected, events);
          }),
      },
    });
    const key = { "idempotency-key": "held-by-another" };
    const first = at(slow).post("/domains", { domain: "held.com" }, key);
    await reached.promise;
    const second = await at(ahead).post("/domains", { domain: "held.com" }, key);
    held.resolve(undefined);
    expect(second).toMatchObject({ status: 409, body: { code: "request_in_progress" } });
    const answer = await first;
    expect(answer.status).toBe(201);
    const again = await at(ahead).post("/domains", { domain: "held.com" }, key);
    expect([again.status, again.body]).toEqual([201, answer.body]);
    await slow.close();
  });
});

describe("a replica with another secret", () => {
  it("with another staff token accepts the staff of the others by their own tokens only", async () => {
    const token = "another-admin-token-0123456789abcdef";
    const other = await place.replica({ environment: { HOSTLEDGER_ADMIN_TOKEN: token } });
    const refused = await createStaffClient({
      baseUrl: other.adminUrl,
      credential: place.environment.HOSTLEDGER_ADMIN_TOKEN ?? "",
    })
      .accounts.openAccount({ name: "Ada" })
      .catch((error: unknown) => ConnectError.from(error));
    expect(refused).toMatchObject({ code: Code.Unauthenticated });
    // Customers' keys are events, and no secret of a process.
    expect((await at(other).get("/domains")).status).toBe(200);
    await other.close();
  });
});

describe("a price change while orders are in flight", () => {
  it("applies at every replica soon after the answer, and no order pays a price that was not in force", async () => {
    const second = await place.replica();
    await sell(right.staff, "org", 1_000n);
    const inForce = [{ cents: 1_000, sinceMs: 0 }];
    const paid: { readonly cents: number; readonly begunMs: number }[] = [];
    let orders = 0;
    let isOver = false;
    const buy = async (replica: Instance): Promise<void> => {
      while (!isOver) {
        orders += 1;
        const begunMs = monotonicMilliseconds();
        const answer = await at(replica).post("/domains", { domain: `price-${String(orders)}.org` });
        expect(answer.status).toBe(201);
        paid.push({
          cents: Math.round((Number(property(answer.body, "amount_charged")) / 1.19) * 100),
          begunMs,
        });
      }
    };
    const buying = [right, second].flatMap((replica) => [buy(replica), buy(replica)]);
    const bought = (cents: number): number => paid.filter((each) => each.cents === cents).length;
    await expect.poll(() => bought(1_000)).toBeGreaterThan(4);
    for (const [cents, replica] of [
      [2_000, right],
      [3_000, second],
    ] as const) {
      await sell(replica.staff, "org", BigInt(cents));
      inForce.push({ cents, sinceMs: monotonicMilliseconds() });
      await expect.poll(() => bought(cents)).toBeGreaterThan(4);
    }
    isOver = true;
    await Promise.all(buying);
    // A replica goes by the prices of a moment ago, and by none that is older (`recentMs`).
    const tooOld = paid.filter(({ cents, begunMs }) => {
      const least = inForce.findLast(({ sinceMs }) => sinceMs <= begunMs - recentMs) ?? inForce[0];
      return cents < (least?.cents ?? 0);
    });
    expect(tooOld).toEqual([]);
    expect(paid.filter(({ cents }) => !inForce.some((price) => price.cents === cents))).toEqual([]);
    await second.close();
  });
});

it("leaves books, registrar, DNS server and read models that agree", async () => {
  await settled(right.staff);
  const testimony = await hear(right.staff, [customer]);
  await place.stop();
  const events = await readEventsOf(place.data);
  expect(auditBooks({ events, ...testimony })).toEqual([]);
});
