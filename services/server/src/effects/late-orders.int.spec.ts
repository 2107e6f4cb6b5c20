import { unknown, type Compute } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { allRunsEnded, eventually, openShop } from "../server-service.fixture.ts";

/** Tests orders that the compute provider does not answer, reports as not held, and then carries out. */

const quietMs = 600;

/** A compute provider that never answers orders and carries them out at the given moment; without a moment never. */
function keepingQuiet(moment?: Promise<undefined>) {
  return (compute: Compute): Compute => ({
    provision(order) {
      void moment?.then(() => compute.provision(order));
      return Promise.resolve(unknown("No answer"));
    },
    inquire: (name) => compute.inquire(name),
    destroy: (name) => compute.destroy(name),
    suspend: (name) => compute.suspend(name),
    resume: (name) => compute.resume(name),
    readFirewall: (name) => compute.readFirewall(name),
    replaceFirewall: (name, firewall) => compute.replaceFirewall(name, firewall),
  });
}

describe("a server that is set up late", () => {
  it("is refunded at once, keeps its unit, and is destroyed when it appears", async () => {
    const moment = Promise.withResolvers<undefined>();
    // Long enough for the next order to arrive before the quiet period ends.
    const shop = await openShop({ quietMs: 2_000, units: 1, compute: keepingQuiet(moment.promise) });
    const { planId, regionId, accounts, sandbox } = shop;
    const { servers } = shop.customer();
    const order = { planId, regionId, distroId: 1n };
    expect((await refusalOf(servers.orderServer(order))).code).toBe("compute-failed");
    expect(accounts.standing).toEqual([]);
    expect((await refusalOf(servers.orderServer(order))).code).toBe("out-of-stock");

    moment.resolve(undefined);
    await eventually(() => {
      expect(sandbox.show().compute).toHaveLength(1);
    });
    await allRunsEnded(shop);
    expect(sandbox.show().compute).toEqual([]);
    expect(accounts.standing).toEqual([]);
  });

  it("that never arrives frees its unit after the quiet period", async () => {
    const shop = await openShop({ quietMs, units: 1, compute: keepingQuiet() });
    const { planId, regionId, accounts } = shop;
    const { servers } = shop.customer();
    const order = { planId, regionId, distroId: 1n };
    expect((await refusalOf(servers.orderServer(order))).code).toBe("compute-failed");
    await allRunsEnded(shop);
    expect((await refusalOf(servers.orderServer(order))).code).toBe("compute-failed");
    expect(accounts.standing).toEqual([]);
  });
});
