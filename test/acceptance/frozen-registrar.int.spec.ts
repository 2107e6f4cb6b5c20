import type { Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { objectOf } from "../support/matchers.ts";
import { inShort } from "../support/promises.ts";
import type { RestClient } from "../support/rest-client.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import { staffReadiness } from "../support/staff-client.ts";

/** Longer than an order and the questions after it wait together, over EPP too. */
const frozenMs = 120_000;

/** A registrar that stops in its tracks and then does all that it was sent, as a process that is stopped and continued. */
class FreezableRegistrar {
  readonly #clock: VirtualClock;
  /** Received calls, by their name in the port. */
  readonly sent: string[] = [];
  #ordersToKeep = 0;
  #thawed = Promise.resolve();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Accepts so many registrations without carrying them out, and freezes with the last one. */
  freezeWith(orders: number): void {
    this.#ordersToKeep = orders;
  }

  readonly decorate = (registrar: Registrar): Registrar => ({
    ...plainRegistrar(registrar),
    check: (name) => this.#carryOut("check", () => registrar.check(name)),
    register: (order) => this.#keep("register", () => registrar.register(order)),
    renew: (order) => this.#carryOut("renew", () => registrar.renew(order)),
    inquire: (name, order) => this.#carryOut("inquire", () => registrar.inquire(name, order)),
    cancel: (name) => this.#carryOut("cancel", () => registrar.cancel(name)),
  });

  async #keep<Answer>(call: string, make: () => Promise<Answer>): Promise<Answer> {
    if (this.#ordersToKeep === 0) return this.#carryOut(call, make);
    this.sent.push(call);
    this.#ordersToKeep -= 1;
    const kept = this.#clock.sleep(frozenMs);
    if (this.#ordersToKeep === 0) this.#thawed = kept;
    await kept;
    return make();
  }

  async #carryOut<Answer>(call: string, make: () => Promise<Answer>): Promise<Answer> {
    this.sent.push(call);
    await this.#thawed;
    return make();
  }
}

const clock = virtualClock();
const registrar = new FreezableRegistrar(clock);
const directory = temporaryDirectory();
const ordered = Array.from({ length: 8 }, (_, index) => `ordered-${String(index)}.com`);
const refused = Array.from({ length: 10 }, (_, index) => `next-${String(index)}.com`);
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ data: directory.path, clock, decorate: { registrar: registrar.decorate } });
});

afterAll(() => {
  directory.remove();
});

async function breaker(): Promise<unknown> {
  const { status, parts } = await staffReadiness(shop.instance.adminUrl, shop.instance.data);
  return { status, state: objectOf(parts)["registrar-breaker"] };
}

it("a registrar that hangs for two minutes delays no other work, and its orders continue afterwards", async () => {
  const { owner, instance } = shop;
  const renewedId = await registerName(owner, "renewed.com");
  const serverId = await shop.provision();
  const customers = await Promise.all(ordered.map(() => shop.customer(2_000n)));
  const answers: string[] = [];
  const order = async (path: string, client: RestClient | undefined, body: unknown): Promise<void> => {
    answers.push(inShort(await client?.post(path, body)));
  };
  const counted = (call: string): number => registrar.sent.filter((sent) => sent === call).length;

  registrar.freezeWith(ordered.length);
  const orders = ordered.map((domain, index) => order("/domains", customers[index], { domain }));
  await eventually(clock, () => expect(counted("register")).toBe(1 + ordered.length), { everyMs: 1 });
  const renewal = order(`/domains/${String(renewedId)}/renew`, owner, { years: 1 });

  // Lists and servers, while not one order has its answer.
  expect(await owner.get("/domains")).toMatchObject({ status: 200, body: [{ domain_name: "renewed.com" }] });
  expect(await owner.get(`/domains/${String(renewedId)}`)).toMatchObject({ status: 200 });
  const server = `/servers/${String(serverId)}`;
  expect(await owner.post(`${server}/firewall/toggle`, { enable: true })).toMatchObject({ status: 200 });
  expect(await owner.post(`${server}/renew`, { duration: 1 })).toMatchObject({ status: 200 });
  expect(answers).toEqual([]);

  // The outcome is unknown: the money is back, and the names stay reserved.
  await Promise.all(orders);
  expect(answers).toEqual(ordered.map(() => "500 registrar_failed"));
  expect(await Promise.all(customers.map(balanceOf))).toEqual(ordered.map(() => "20.00"));

  // Only a probe calls the registrar now: new orders are refused at once, before a charge.
  expect(await breaker()).toEqual({ status: 200, state: expect.stringMatching(/open$/) });
  const checksBefore = counted("check");
  const balance = await balanceOf(owner);
  const others = await Promise.all(refused.map((domain) => owner.post("/domains", { domain })));
  expect(others.map(inShort)).toEqual(refused.map(() => "500 registrar_failed"));
  expect(counted("check") - checksBefore).toBeLessThanOrEqual(1);
  expect(await balanceOf(owner)).toEqual(balance);

  // The registrar thaws and carries out all calls; unpaid names are cancelled, paid ones are held.
  await renewal;
  const hasEnded = async (): Promise<void> => {
    expect((await instance.staff.domains.listRuns({})).runs).toEqual([]);
  };
  await eventually(clock, hasEnded, { everyMs: 1_000 });
  expect(await breaker()).toEqual({ status: 200, state: "closed" });
  const { registrar: held } = await instance.staff.domains.showSandbox({});
  expect(held.map(({ name }) => name)).toEqual(["renewed.com"]);
  expect(inShort(await owner.post("/domains", { domain: "ordered-0.com" }))).toBe("201");

  const testimony = await hear(instance.staff, [owner, ...customers]);
  await shop.close();
  expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
});
