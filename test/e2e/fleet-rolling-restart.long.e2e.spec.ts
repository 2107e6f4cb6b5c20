import { monotonicMilliseconds } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { auditFleet } from "../support/fleet-audit.ts";
import { persist, startLoad, tally, type Purchase } from "../support/fleet-load.ts";
import { fleetForms, startFleet, type Fleet } from "../support/fleet.ts";
import { inShort } from "../support/promises.ts";
import { openBuyers, type Customer } from "../support/staff-client.ts";

/** An upgrade as an operator does it: one process after the other is asked to finish, and starts again. */

const clients = 32;
const lateAnswer = "504 deadline_exceeded";
/** Approximate time for which a gateway retries an absent service (`serviceAttempts` of the host), in milliseconds. */
const callsAreTriedMs = 15_000;

describe.each(fleetForms)("a fleet that is upgraded: %s", (form) => {
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

  it(`${form === "replicas" ? "loses no order" : "fails no request"} while each process is restarted`, async () => {
    const load = startLoad(customers, {
      clients,
      labels: ["name"],
      prefix: "rolling",
      restMs: 1_500,
      // A connection to a replica that leaves may end under a request (ADR 0180): its client asks again under the same key.
      register: form === "replicas" ? persist : registerOnce,
    });
    let longestAwayMs = 0;
    for (const member of fleet.serving) {
      await load.progress(clients);
      const stoppingMs = monotonicMilliseconds();
      expect([member.name, await member.stop()]).toEqual([member.name, 0]);
      await member.start();
      await member.ready();
      longestAwayMs = Math.max(longestAwayMs, monotonicMilliseconds() - stoppingMs);
    }
    await load.progress(clients);
    await load.finish();

    // On a machine so busy that a process is away for longer than calls are tried, an answer may come too late.
    const mayBe = longestAwayMs < callsAreTriedMs ? [] : [lateAnswer, "409 request_in_progress"];
    const others = Object.keys(tally(load.purchases)).filter((answer) => ![...mayBe, "201"].includes(answer));
    expect(form === "replicas" ? [] : others).toEqual([]);
    expect(load.purchases.flatMap(({ answer }) => (answer?.status === 201 ? [] : [answer?.body]))).toEqual(
      [],
    );
    expect(await auditFleet(fleet, customers, load.purchases)).toEqual([]);
  });
});

/** Registers a name with one attempt unless the answer was late, and reads the name. */
async function registerOnce(customer: Customer, purchase: Purchase): Promise<void> {
  const { name, key, steps } = purchase;
  try {
    purchase.answer = await customer.post("/domains", { domain: name }, { "Idempotency-Key": key });
    steps.push(inShort(purchase.answer));
    if (steps.includes(lateAnswer)) await persist(customer, purchase);
    const shown = await customer.get("/billing/balance");
    if (shown.status !== 200) steps.push(`balance ${inShort(shown)}`);
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: error };
    steps.push(`${purchase.answer === undefined ? "" : "balance "}${String(error)}: ${String(cause)}`);
  }
}
