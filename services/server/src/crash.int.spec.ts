import { describe, expect, it } from "vitest";

import { Crash } from "./crash.fixture.ts";
import {
  allRunsEnded,
  asOperation,
  eventually,
  giveServer,
  openHarness,
  stockUp,
  type Customer,
  type ServerClient,
  type Harness,
} from "./server-service.fixture.ts";

const units = 5;
const balanceCents = 10_000n;
const playsAtOnce = 8;

interface Scene extends Harness {
  readonly customer: Customer;
  readonly planId: bigint;
  readonly regionId: bigint;
  /** Server of the act; absent if the act orders a server. */
  readonly serverId: bigint;
}

/** An action on the service, and the check after all work has ended. */
interface Act {
  readonly planTitle?: string;
  perform(servers: ServerClient, scene: Scene): Promise<unknown>;
  check(scene: Scene): Promise<void>;
}

/** Performs the act on an instance that dies at the moment; another takes over, and the client may repeat. */
async function play(act: Act, at: number, asksAgain: boolean): Promise<readonly string[]> {
  const harness = await openHarness();
  const crash = new Crash(at);
  const first = await harness.start(crash.options);
  const customer = first.customer(balanceCents);
  const shop = await stockUp(first, units, { title: act.planTitle ?? "Small" });
  const free = await stockUp(first, units, { title: "Free of labels", code: "free" });
  const gift = { accountId: BigInt(customer.accountId), ...free, whitelisted: true };
  const scene = { ...harness, customer, ...shop, serverId: await giveServer(first, gift) };
  crash.arm();
  const answer = act.perform(customer.servers, scene).catch(() => undefined);
  await Promise.race([crash.died.promise, answer]);
  if (at === 0) await allRunsEnded(first);

  const second = await harness.start();
  const caller = { kind: "account", accountId: customer.accountId, keyId: 1 } as const;
  const servers = second.servers(caller);
  const later = { ...scene, customer: { ...customer, servers, catalogue: second.catalogue(caller) } };
  if (asksAgain) await act.perform(servers, later).catch(() => undefined);
  await eventually(async () => {
    await allRunsEnded(second);
    await second.service.inspectNodes();
    await act.check(later);
  });
  await harness.close();
  return crash.moments;
}

/** Plays the act with a crash at each moment, several in parallel because most time is waiting. */
async function playAll(act: Act): Promise<void> {
  const moments = await play(act, 0, false);
  expect(moments.length).toBeGreaterThan(1);
  const plays = moments.flatMap((moment, index) =>
    [false, true].map((asksAgain) => ({ moment, at: index + 1, asksAgain })),
  );
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = plays.shift(); next !== undefined; next = plays.shift()) {
      const { moment, at, asksAgain } = next;
      await play(act, at, asksAgain).catch((error: unknown) => {
        const cause = error instanceof Error ? error.message : String(error);
        failures.push(`a crash ${moment}, asked again: ${String(asksAgain)}: ${cause}`);
      });
    }
  };
  await Promise.all(Array.from({ length: playsAtOnce }, work));
  expect(failures).toEqual([]);
}

/** Checks that the order was carried out and paid once, or not at all. */
async function checkOrders(scene: Scene): Promise<void> {
  const { accounts, customer, sandbox, planId, serverId } = scene;
  const listed = (await customer.servers.listServers({})).servers.filter(({ id }) => id !== serverId);
  const held = sandbox.show().compute.filter(({ name }) => !name.endsWith(`-${String(serverId)}`));
  const { entries } = await customer.catalogue.listStock({});
  const left = entries.find(({ plan }) => plan?.id === planId)?.units;
  expect(listed.length).toBeLessThanOrEqual(1);
  expect(listed.map(({ status }) => status)).toEqual(listed.map(() => "active"));
  const numbers = held.map(({ name }) => name.slice(name.lastIndexOf("-") + 1));
  expect(numbers).toEqual(listed.map(({ id }) => String(id)));
  expect(accounts.standing.map(({ request }) => BigInt(request.serverId ?? 0))).toEqual(
    listed.map(({ id }) => id),
  );
  expect(left).toBe(units - listed.length);
  expect(accounts.balanceOf(customer.accountId)).toBe(balanceCents - BigInt(listed.length) * 1_000n);
}

const order = (servers: ServerClient, { planId, regionId }: Scene): Promise<unknown> =>
  servers.orderServer({ planId, regionId, distroId: 1n }, asOperation("op-1"));

describe("a crash at any moment", () => {
  it("of an order leaves a server that is paid for once, or nothing", { timeout: 240_000 }, async () => {
    await playAll({ perform: order, check: checkOrders });
  });

  it("of an order that is refused leaves nothing", { timeout: 240_000 }, async () => {
    await playAll({ planTitle: "refused", perform: order, check: checkOrders });
  });

  it("of a renewal leaves it paid for and done once, or nothing", { timeout: 240_000 }, async () => {
    await playAll({
      perform: async (servers, { serverId }) => {
        await servers.renewServer({ serverId, duration: 2 }, asOperation("op-1"));
      },
      async check({ accounts, customer, serverId, nodeOf }) {
        const { server } = await customer.servers.getServer({ serverId });
        const renewed = accounts.standing.length === 1;
        expect(server?.expiryDate.slice(0, 10)).toBe(renewed ? "2027-04-30" : "2027-02-28");
        expect(accounts.charges.size).toBe(renewed ? 1 : 0);
        expect(nodeOf(serverId)?.running).toBe(true);
      },
    });
  });

  it("of a toggle leaves the node in the state of the last event", { timeout: 240_000 }, async () => {
    await playAll({
      perform: (servers, { serverId }) =>
        servers.toggleFirewall({ serverId, enable: false }, asOperation("op-1")),
      async check({ storedEventsOf: eventsOf, serverId, nodeOf }) {
        const events = await eventsOf(`server-${String(serverId)}`);
        const toggles = events.filter((event) => event.type === "FirewallToggled");
        expect(toggles.length).toBeLessThanOrEqual(1);
        expect(nodeOf(serverId)?.firewall.enabled).toBe(toggles.at(-1)?.data.enabled ?? true);
      },
    });
  });

  it("of a suspension leaves the node in the state of the last event", { timeout: 240_000 }, async () => {
    await playAll({
      perform: async (_servers, scene) => {
        scene.clock.moveTo("2027-03-01T00:00:00.000000Z");
        await eventually(() => {
          expect(scene.nodeOf(scene.serverId)?.running).toBe(false);
        });
      },
      async check({ typesOf, serverId, nodeOf }) {
        const types = await typesOf(`server-${String(serverId)}`);
        expect(types.filter((type) => type === "ServerSuspended")).toHaveLength(1);
        expect(nodeOf(serverId)?.running).toBe(false);
      },
    });
  });
});
