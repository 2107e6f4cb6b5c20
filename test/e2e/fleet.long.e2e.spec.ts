import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { property } from "../support/books.ts";
import { listed } from "../support/books/books-event.ts";
import { auditFleet } from "../support/fleet-audit.ts";
import { persist, tally, type Purchase } from "../support/fleet-load.ts";
import { fleetForms, startFleet, type Fleet } from "../support/fleet.ts";
import { balanceOf, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** The processes of a deployment, in both of its forms, behind a plain TCP balancer. */

describe.each(fleetForms)("a fleet: %s", (form) => {
  let fleet: Fleet;
  let customer: Customer;
  /** Every careful client's purchases, for the audit at the end. */
  const purchases: Purchase[] = [];

  beforeAll(async () => {
    fleet = await startFleet({ form });
    await sell(fleet.staff, "com");
    customer = await openCustomer(fleet.staff, fleet.baseUrl, { balanceCents: 1_000_000n });
  });

  afterAll(async () => {
    await fleet.close();
  });

  it("registers a domain through the load balancer, and both gateways show it", async () => {
    const answer = await customer.post("/domains", { domain: "fleet.com" });
    expect(answer).toMatchObject({ status: 201, body: { status: true, amount_charged: 11.9 } });
    // The account service learns of deliveries on its own.
    const invoices = async (): Promise<string> =>
      JSON.stringify((await customer.get("/billing/invoices")).body);
    await expect.poll(invoices).not.toContain('"delivered":false');
    const shown = await Promise.all(
      fleet.gateways.map(async (gateway) => {
        const here = customerAt(fleet.baseUrlOf(gateway), customer);
        const paths = [
          "/domains",
          "/domains/1",
          "/billing/balance",
          "/billing/invoices",
          "/servers",
          "/tickets",
        ];
        const answers = await Promise.all(paths.map((path) => here.get(path)));
        return answers.map(({ status, body }) => ({ status, body }));
      }),
    );
    expect(shown[0]?.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(shown[1]).toEqual(shown[0]);
  });

  it("gives a name to one of many clients that order it from both domain services", async () => {
    const wanted = Array.from({ length: 48 }, (_, index) =>
      purchase(customer, "contested.com", `contested-${String(index)}`),
    );
    const { gateways } = fleet;
    const before = Number(await balanceOf(customer));
    await Promise.all(
      wanted.map((one, index) =>
        persist(customerAt(fleet.baseUrlOf(gateways[index % 2 === 0 ? 0 : 1]), customer), one),
      ),
    );
    purchases.push(...wanted);
    const reported = tally(wanted);
    expect(reported["201"]).toBe(1);
    expect(Object.keys(reported).filter((answer) => !/^(201|409|422 domain_taken|503)/.test(answer))).toEqual(
      [],
    );
    expect(before - Number(await balanceOf(customer))).toBeCloseTo(11.9, 5);
  });

  it("charges one account for each of many names, through both domain services at once", async () => {
    const wanted = Array.from({ length: 64 }, (_, index) =>
      purchase(customer, `hammer-${String(index)}.com`, `hammer-${String(index)}`),
    );
    await Promise.all(wanted.map((one) => persist(customer, one)));
    purchases.push(...wanted);
    expect(wanted.map(({ answer }) => answer?.status)).toEqual(wanted.map(() => 201));
    const invoices = wanted.map(({ answer }) => property(answer?.body, "invoice_id"));
    expect(new Set(invoices).size).toBe(wanted.length);
  });

  it("answers staff's and auditors' audits through the service that writes the log", async () => {
    const { credential } = await fleet.staff.auditors.issueAuditorCredential({ name: "Ada", days: 1 });
    const accountId = BigInt(customer.accountId);
    const statement = await fleet.staff.audits.getStatement({ accountId });
    expect((Number(statement.closingBalanceCents) / 100).toFixed(2)).toBe(await balanceOf(customer));
    let reported = 0;
    for await (const { events } of fleet.staff.audits.readEvents({ accountId, asStored: true }))
      reported += events.length;
    expect(reported).toBeGreaterThan(statement.movements.length);

    const entries = `${fleet.auditUrl}/log/tile/entries/000`;
    await expect
      .poll(async () => (await fetch(`${fleet.auditUrl}/log/tile/0/000`)).status, { timeout: 120_000 })
      .toBe(200);
    expect((await fetch(entries)).status).toBe(401);
    expect((await fetch(entries, { headers: { authorization: customer.apiKey } })).status).toBe(401);
    expect((await fetch(entries, { headers: { authorization: `Bearer ${credential}` } })).status).toBe(200);
  });

  it("shows a new registration after the projecting process has died", async () => {
    const [first, second] = fleet.domains;
    for (const member of [first, second]) {
      // Kills the process that projects; the other one takes over after the first round.
      await member.kill();
      const name = `after-${member.name}.com`;
      const id = await registerName(customer, name);
      const isShown = async (): Promise<boolean> => {
        const { body } = await customer.get("/domains");
        return listed(body).some((domain) => property(domain, "id") === id);
      };
      await expect.poll(isShown, { timeout: 120_000 }).toBe(true);
      await member.start();
      await member.ready();
    }
  });

  it("agrees with its registrar, its DNS server and its read models at the end", async () => {
    expect(await auditFleet(fleet, [customer], purchases)).toEqual([]);
  });
});

function purchase(customer: Customer, name: string, key: string): Purchase {
  return { accountId: customer.accountId, name, key, answer: undefined, steps: [], faults: [] };
}
