import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt, staffReadiness } from "../support/staff-client.ts";

/** A clock that goes back: work that was due in an earlier future is not done because of the time alone. */

let directory: ReturnType<typeof temporaryDirectory>;
let shop: Shop;

beforeEach(async () => {
  directory = temporaryDirectory();
  shop = await openShop({ data: directory.path });
});

afterEach(() => {
  directory.remove();
});

async function during<Result>(
  environment: Readonly<Record<string, string>>,
  look: (instance: Instance) => Promise<Result>,
): Promise<Result> {
  const instance = await startInstance({ data: directory.path, environment });
  try {
    return await look(instance);
  } finally {
    await instance.close();
  }
}

/** Returns the answer of `/readyz` for staff, and the state of the clock. */
async function readiness({ adminUrl, data }: Instance): Promise<{ status: number; clock: unknown }> {
  const { status, parts } = await staffReadiness(adminUrl, data);
  return { status, clock: objectOf(parts).clock };
}

const trusted = { status: 200, clock: "trusted" };
const behind = { status: 200, clock: "behind-not-confirmed" };
const soon = { timeout: 15_000 };

/** Longer than the pause between two rounds of the life cycle, in milliseconds. */
const severalRoundsMs = 3_500;

it("after the clock went back, readiness reports it and orders continue until staff, not a restart, confirm the clock", async () => {
  await shop.close();
  await during({ HOSTLEDGER_CLOCK_OFFSET: "+52w" }, async (instance) => {
    expect(await readiness(instance)).toEqual(trusted);
    await registerName(customerAt(instance.baseUrl, shop.owner), "future.com");
  });
  await during({}, async (instance) => {
    expect(await readiness(instance)).toEqual(behind);
    await registerName(customerAt(instance.baseUrl, shop.owner), "present.com");
  });
  await during({}, async (instance) => {
    expect(await readiness(instance)).toEqual(behind);
    const { jumps } = await instance.staff.clock.acceptClock({});
    expect(jumps).toMatchObject([{ direction: "behind" }]);
    expect(await readiness(instance)).toEqual(trusted);
    expect((await instance.staff.clock.acceptClock({})).jumps).toEqual([]);
  });
});

it("the instance pauses work that depends on time until staff confirm the clock, then does it", async () => {
  const id = await registerName(shop.owner, "due.com");
  await shop.close();
  await during({ HOSTLEDGER_CLOCK_OFFSET: "+363d" }, async (instance) => {
    await registerName(customerAt(instance.baseUrl, shop.owner), "future.com");
  });
  // Moved ahead of the present, but behind the stored events: moving is no confirmation.
  await during({ HOSTLEDGER_CLOCK_OFFSET: "+360d" }, async (instance) => {
    expect(await readiness(instance)).toEqual(behind);
    const owner = customerAt(instance.baseUrl, shop.owner);
    const read = async () => objectOf((await owner.get(`/domains/${String(id)}`)).body);
    const before = await read();
    // From now on the renewal is due: the name expires in five days.
    await owner.put(`/domains/${String(id)}/settings`, { auto_renew: true });
    const balance = await balanceOf(owner);
    await realTiming.sleep(severalRoundsMs);
    expect(await read()).toMatchObject({ expiry_date: before.expiry_date });
    expect(await balanceOf(owner)).toBe(balance);

    await instance.staff.clock.acceptClock({});
    await expect.poll(async () => (await read()).expiry_date, soon).not.toBe(before.expiry_date);
    expect(await readiness(instance)).toEqual(trusted);
    expect(itemsOf((await owner.get("/billing/invoices")).body).at(-1)).toMatchObject({
      action: "renewal",
      domain_id: id,
    });
  });
});
