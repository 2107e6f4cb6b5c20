import { realTiming } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { auditFleet } from "../support/fleet-audit.ts";
import { startLoad, tally } from "../support/fleet-load.ts";
import { fleetForms, startFleet, type Fleet } from "../support/fleet.ts";
import { openBuyers, type Customer } from "../support/staff-client.ts";

/** Freezes the event store under load, as on a frozen machine, and continues it later. */

const clients = 32;
const frozenMs = 10_000;

describe.each(fleetForms)("a fleet whose event store freezes: %s", (form) => {
  let fleet: Fleet;
  let customers: Customer[];

  beforeEach(async () => {
    fleet = await startFleet({ form });
    customers = await openBuyers(
      fleet,
      Array.from({ length: 4 }, () => 100_000_000n),
    );
  });

  afterEach(async () => {
    await fleet.close();
  });

  it("continues on its own after the event store froze, and wrote nothing twice", async () => {
    const load = startLoad(customers, { clients, labels: ["name"], prefix: "frozen" });
    await load.progress(clients);
    fleet.node.freeze();
    await realTiming.sleep(frozenMs);
    const during = load.purchases.length;
    fleet.node.thaw();
    await load.progress(clients * 2);
    await load.finish();

    expect(load.purchases.length).toBeGreaterThan(during);
    expect(load.purchases.flatMap(({ answer }) => (answer?.status === 201 ? [] : [answer?.body]))).toEqual(
      [],
    );
    expect(await auditFleet(fleet, customers, load.purchases)).toEqual([]);
    expect(tally(load.purchases)["201"]).toBe(load.purchases.length);
  });
});
