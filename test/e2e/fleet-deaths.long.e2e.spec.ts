import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { auditFleet } from "../support/fleet-audit.ts";
import { startLoad, tally } from "../support/fleet-load.ts";
import { fleetForms, startFleet, type Fleet } from "../support/fleet.ts";
import { openBuyers, type Customer } from "../support/staff-client.ts";

/**
 * Kills each process under load and restarts it. Confirmed orders stay true, unanswered requests are repeated under
 * the same key, and in the end books, registrar, DNS server and read models agree.
 */

const clients = 64;
/** Ordinary names are the most; one order in ten is refused, or its answer is lost. */
const labels = [...Array.from({ length: 18 }, () => "name"), "refused", "lost"];

describe.each(fleetForms)("a fleet whose processes die: %s", (form) => {
  let fleet: Fleet;
  let customers: Customer[];

  beforeEach(async () => {
    fleet = await startFleet({ form, environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "2000" } });
    // The last one can pay for a few domains only, so that charges are refused in the middle of everything.
    customers = await openBuyers(fleet, [...Array.from({ length: 7 }, () => 100_000_000n), 50_000n]);
  });

  afterEach(async () => {
    await fleet.close();
  });

  it("loses no acknowledged event when each process is killed in turn", async () => {
    const load = startLoad(customers, { clients, labels, prefix: "death", restMs: 1_500 });
    // Gateways first: their requests stay theirs for a minute, while other processes die.
    for (const member of fleet.members.toReversed()) {
      await load.progress(clients);
      await member.kill();
      await member.start();
    }
    await fleet.ready();
    await load.progress(clients);
    await load.finish();

    expect(await auditFleet(fleet, customers, load.purchases)).toEqual([]);
    const reported = tally(load.purchases);
    // Without these the test would show little.
    expect(reported["201"]).toBeGreaterThan(clients * 4);
    expect(reported["500 registrar_failed"]).toBeGreaterThan(0);
    expect(load.purchases.filter(({ steps }) => steps.length > 1).length).toBeGreaterThan(
      fleet.members.length,
    );
  });
});
