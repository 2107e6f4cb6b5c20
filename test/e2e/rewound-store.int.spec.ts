import { eventually } from "@hostledger/runtime/testing";
import { realTiming } from "@hostledger/runtime";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import { describe, expect, it, onTestFinished } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { copyStore, newDirectory, startPutBackServer } from "../support/put-back-store.ts";
import { balanceOf, openShop, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, sell, staffReadiness, type Customer } from "../support/staff-client.ts";

/** The event store is restored from an older backup: nothing that was given out before is given out again. */

const refused = { status: 503, body: { code: "store_rewound" } };
const reason = "the disk failed";

async function readyState({ adminUrl, data }: Instance): Promise<unknown> {
  const { status, parts } = await staffReadiness(adminUrl, data);
  return { status, store: (parts as Record<string, unknown>)["event-store"] };
}

describe("an instance that starts on an older backup of its store", () => {
  it("sells nothing until staff accept the copy, and never uses a number twice afterwards", async () => {
    const data = newDirectory();
    const copy = newDirectory();
    const first = await openShop({ data });
    const { owner } = first;
    await registerName(owner, "kept.com");
    await first.close();
    copyStore(data, copy);

    const second = await startInstance({ data });
    const before = customerAt(second.baseUrl, owner);
    const lostDomain = await registerName(before, "lost.com");
    const lostAccount = await openCustomer(second.staff, second.baseUrl, { balanceCents: 5_000n });
    const lostNumbers = await invoiceNumbers(before);
    await second.close();
    copyStore(copy, data);

    const third = await startInstance({ data });
    onTestFinished(() => third.close());
    const customer = customerAt(third.baseUrl, owner);
    expect(await readyState(third)).toEqual({ status: 503, store: "rewound" });
    expect(await customer.post("/domains", { domain: "next.com" })).toMatchObject(refused);
    const listed = await customer.get("/domains");
    expect(listed).toMatchObject({ status: 200, body: [{ domain_name: "kept.com" }] });
    expect(listed.headers.get("hostledger-stale")).toContain("domain.domains");
    await expect(third.staff.accounts.openAccount({ name: "Too early", vatExempt: false })).rejects.toThrow(
      "restored from an older backup",
    );

    expect(await third.staff.store.acceptStore({ reason })).toMatchObject({ series: 1 });
    expect(await third.staff.store.acceptStore({ reason })).toMatchObject({ series: 0 });
    expect(await readyState(third)).toEqual({ status: 200, store: "reachable" });
    expect(await registerName(customer, "next.com")).toBeGreaterThan(lostDomain);
    const account = await openCustomer(third.staff, third.baseUrl, { balanceCents: 5_000n });
    expect(account.accountId).toBeGreaterThan(lostAccount.accountId);
    const numbers = await invoiceNumbers(customer);
    const number = `${year()}-${String(owner.accountId)}-R1-000001`;
    expect(numbers).toContain(number);
    // Staff find a document of the new series by its number.
    const { accounts } = third.staff;
    expect(await accounts.showInvoice({ invoice: number })).toMatchObject({
      invoice: { invoice: { number } },
    });
    const refund = { chargeOrInvoice: number, amountCents: 100n, reason: "A test." };
    expect(await accounts.refundCharge(refund)).toMatchObject({ amountCents: 100n });
    expect(numbers.filter((each) => lostNumbers.includes(each)).length).toBe(lostNumbers.length - 1);
  });
});

describe("an instance whose event store server is restored from an older backup while it runs", () => {
  it("detects it, and sells again after staff accept the copy", async () => {
    const node = await startPutBackServer();
    const shop = await openShop({ environment: node.environment });
    onTestFinished(() => shop.close());
    const { instance, owner } = shop;
    await registerName(owner, "kept.com");
    const copy = await node.copy();
    const lost = await registerName(owner, "lost.com");
    await instance.staff.accounts.topUpAccount({
      accountId: BigInt(owner.accountId),
      amountCents: 500n,
      reference: "lost",
    });
    await node.putBack(copy);

    // The replicas notice without a request.
    await eventually(realTiming, async () => {
      expect(await readyState(instance)).toEqual({ status: 503, store: "rewound" });
    });
    expect(await owner.post("/domains", { domain: "next.com" })).toMatchObject(refused);
    await eventually(realTiming, async () => {
      const listed = await owner.get("/domains");
      expect(listed).toMatchObject({ status: 200, body: [{ domain_name: "kept.com" }] });
      expect(listed.headers.get("hostledger-stale")).toContain("domain.domains");
    });

    expect(await instance.staff.store.acceptStore({ reason })).toMatchObject({ series: 1 });
    expect(await registerName(owner, "next.com")).toBeGreaterThan(lost);
    await eventually(realTiming, async () => {
      const again = await owner.get("/domains");
      expect(again).toMatchObject({ body: [{ domain_name: "kept.com" }, { domain_name: "next.com" }] });
      expect(again.headers.get("hostledger-stale")).toBeNull();
    });
    expect(await balanceOf(owner)).toBe("976.20");
    expect(await invoiceNumbers(owner)).toContain(`${year()}-${String(owner.accountId)}-R1-000001`);
    await eventually(realTiming, async () => {
      const { tickets } = await instance.staff.support.listAllTickets({});
      expect(tickets.map((ticket) => ticket.ticket?.title)).toContain(
        "The event store was restored from an older backup",
      );
    });
  });

  it("raises no alarm if the server only restarts", async () => {
    const node = await startPutBackServer();
    const shop = await openShop({ environment: node.environment });
    onTestFinished(() => shop.close());
    for (const name of ["one.com", "two.com"]) {
      await registerName(shop.owner, name);
      await node.restart();
      await eventually(realTiming, async () => {
        expect(await readyState(shop.instance)).toEqual({ status: 200, store: "reachable" });
      });
    }
    await registerName(shop.owner, "three.com");
  });
});

describe("replicas whose event store server is restored from an older backup", () => {
  it("all refuse writes, even after some restart, and drop the lost top-up", async () => {
    const postgres = await startPostgresServer();
    onTestFinished(() => postgres.stop());
    const node = await startPutBackServer();
    const environment = {
      ...node.environment,
      HOSTLEDGER_DATABASE: postgres.url,
      HOSTLEDGER_ADMIN_TOKEN: "shared-admin-token-0123456789abcdef",
      HOSTLEDGER_SANDBOX_DATA: node.data,
    };
    const left = await startInstance({ environment, data: newDirectory() });
    onTestFinished(() => left.close());
    const data = newDirectory();
    const auditless = { ...environment, HOSTLEDGER_AUDIT_URL: "http://127.0.0.1:2" };
    let right = await startInstance({ environment: auditless, data });
    await sell(left.staff, "com");
    const customer = await openCustomer(left.staff, left.baseUrl, { balanceCents: 1_500n });
    const copy = await node.copy();
    const accountId = BigInt(customer.accountId);
    await left.staff.accounts.topUpAccount({ accountId, amountCents: 5_000n, reference: "lost" });
    const atRight = customerAt(right.baseUrl, customer);
    expect(await balanceOf(atRight)).toBe("65.00");
    expect(await balanceOf(customer)).toBe("65.00");
    await right.close();
    await node.putBack(copy);
    right = await startInstance({ environment: auditless, data });
    onTestFinished(() => right.close());

    for (const instance of [left, right])
      await eventually(realTiming, async () => {
        expect(await readyState(instance)).toMatchObject({ store: "rewound" });
      });
    const both = [customer, customerAt(right.baseUrl, customer)];
    for (const each of both)
      expect(await each.post("/domains", { domain: "early.com" })).toMatchObject(refused);
    expect(await right.staff.store.acceptStore({ reason })).toMatchObject({ series: 1 });
    await eventually(realTiming, async () => {
      expect(await readyState(left)).toEqual({ status: 200, store: "reachable" });
    });
    // 15.00 EUR pay for one name of 11.90 EUR, at either replica, and not for two.
    const sold = [await registerName(customer, "one.com")];
    for (const each of both)
      expect(await each.post("/domains", { domain: "two.com" })).toMatchObject({
        status: 400,
        body: { code: "insufficient_balance" },
      });
    expect(await balanceOf(customer)).toBe("3.10");

    // Each replica takes payments, sells, and opens accounts; nothing has the number of anything else.
    const accounts = [customer.accountId];
    for (const [at, instance] of [right, left, right].entries()) {
      const topUp = { accountId, amountCents: 1_190n, reference: `after-${String(at)}` };
      await instance.staff.accounts.topUpAccount(topUp);
      const name = `after-${String(at)}.com`;
      sold.push(await registerName(customerAt(instance.baseUrl, customer), name));
      const opened = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 1_190n });
      accounts.push(opened.accountId);
      sold.push(await registerName(opened, `own-${String(at)}.com`));
    }
    for (const each of both) expect(await balanceOf(each)).toBe("3.10");
    expect(new Set(sold).size).toBe(sold.length);
    expect(new Set(accounts).size).toBe(accounts.length);
    const series = `${year()}-${String(customer.accountId)}-R1-`;
    // Four invoices and three receipts since the acceptance, and the receipt of before.
    const counted = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_none, at) => `${series}${letter}${String(at + 1).padStart(6, "0")}`);
    for (const each of both) {
      const numbers = await invoiceNumbers(each);
      const inSeries = numbers.filter((number) => number.startsWith(series));
      expect(inSeries.toSorted()).toEqual([...counted("", 4), ...counted("T", 3)]);
      expect(numbers).toHaveLength(8);
    }
  });
});

describe("an embedded store whose file is replaced", () => {
  it("accepts nothing until the process restarts, then needs staff", async () => {
    const data = newDirectory();
    const copy = newDirectory();
    const first = await openShop({ data });
    await first.close();
    copyStore(data, copy);
    const second = await startInstance({ data });
    const customer = customerAt(second.baseUrl, first.owner);
    await registerName(customer, "lost.com");
    copyStore(copy, data);
    await eventually(realTiming, async () => {
      expect(await readyState(second)).toEqual({ status: 503, store: "replaced" });
    });
    expect(await customer.post("/domains", { domain: "next.com" })).toMatchObject(refused);
    await expect(second.staff.store.acceptStore({ reason })).rejects.toThrow("restart this process");
    await second.close().catch(() => undefined);
    copyStore(copy, data);
    const third = await startInstance({ data });
    onTestFinished(() => third.close());
    expect(await readyState(third)).toEqual({ status: 503, store: "rewound" });
    await third.staff.store.acceptStore({ reason });
    await registerName(customerAt(third.baseUrl, first.owner), "next.com");
  });
});

const year = (): string => new Date().toISOString().slice(0, 4);

async function invoiceNumbers(customer: Customer): Promise<string[]> {
  const { body } = await customer.get("/billing/invoices");
  return (body as { number: string }[]).map(({ number }) => number);
}
