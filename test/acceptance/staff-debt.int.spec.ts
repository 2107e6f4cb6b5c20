import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess, hostledgerInProcess, textInProcess } from "../support/command-in-process.ts";
import { itemsOf } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";

/** `--allow-debt`: a balance falls below zero only where staff say so, and it is shown wherever the balance is. */

const clock = virtualClock();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

const hostledger = (...line: readonly string[]) => commandInProcess(shop.instance, clock, ...line);

/** The payment with which each of these customers came. */
const opening = (id: string) => `opening-balance-${id}`;
const because = (id: string) => ["--reference", opening(id), "--reason", "Returned by the bank"];

/** A customer with 100.00 EUR, of which a server took 9.99. */
async function customerWhoSpent() {
  const customer = await shop.customer(10_000n);
  const [distro] = itemsOf((await customer.get("/distros")).body);
  const order = { plan_id: shop.planId, region_id: shop.regionId, distro_id: distro?.id };
  expect((await customer.post("/order", order)).status).toBe(201);
  return { customer, id: String(customer.accountId), order };
}

it("staff can reverse a spent payment with --allow-debt, but not without", async () => {
  const { customer, id, order } = await customerWhoSpent();
  const takeBack = ["admin", "account", "reverse-top-up", id, ...because(id)];
  const refused = await hostledger(...takeBack);
  expect(refused.code).toBe(1);
  expect(await balanceOf(customer)).toBe("90.01");

  for (const again of [["--allow-debt"], ["--allow-debt"], []])
    expect(await hostledger(...takeBack, ...again)).toMatchObject({
      code: 0,
      document: { balance: "-9.99" },
    });
  expect(await balanceOf(customer)).toBe("-9.99");
  expect(await customer.post("/order", order)).toMatchObject({
    status: 400,
    body: { code: "insufficient_balance", required: 9.99, available: -9.99 },
  });

  const sentence = `Payment taken back, debt allowed as ${opening(id)}, -100.00 EUR (Returned by the bank); the balance is -9.99 EUR.`;
  const shown = await hostledger("admin", "account", "show", id);
  expect(shown.document).toMatchObject({ balance: "-9.99", in_debt: true });
  expect(JSON.stringify(shown.document)).toContain(sentence);
  await eventually(clock, async () => {
    const found = await hostledger("admin", "account", "search", id);
    expect(itemsOf(found.document)).toMatchObject([{ balance: "-9.99" }]);
  });

  const topUp = ["admin", "account", "top-up", id, "--amount", "5", "--reference", "bank-2"];
  expect(await hostledger(...topUp)).toMatchObject({ code: 0, document: { balance: "-4.99" } });
  const credit = [
    "admin",
    "account",
    "credit",
    id,
    "--amount",
    "4.99",
    "--reference",
    "case-1",
    "--reason",
    "T",
  ];
  expect(await hostledger(...credit)).toMatchObject({ code: 0, document: { balance: "0.00" } });
  expect((await hostledger("admin", "account", "show", id)).document).toMatchObject({ in_debt: false });
});

it("the accountant's reports show a debit with a debt, and the books balance", async () => {
  const { id } = await customerWhoSpent();
  const debit = [
    "admin",
    "account",
    "debit",
    id,
    "--amount",
    "100",
    "--reference",
    "case-2",
    "--reason",
    "Damage",
  ];
  expect((await hostledger(...debit)).code).toBe(1);
  expect(await hostledger(...debit, "--allow-debt")).toMatchObject({ document: { balance: "-9.99" } });
  const report = (...line: readonly string[]) => textInProcess(shop.instance, clock, "audit", ...line);
  const statement = await report("statement", id);
  expect(statement.stdout).toContain("Debit by staff, debt allowed: Damage");
  expect(statement.stdout).toMatch(/-9\.99 {2}Closing balance/u);
  expect((await report("journal", "--format", "ledger-cli")).stdout).toContain(
    "Debit by staff, debt allowed, Damage",
  );
  // The log signs what it has after a while.
  const reconciled = async () => {
    const { stdout } = await report("reconcile");
    expect(stdout.match(/^(?:payments|charges|refunds|balances) .* 0\.00$/gmu)).toHaveLength(4);
    expect(findingsOf(stdout)).toEqual([]);
  };
  await eventually(clock, reconciled, { everyMs: 1_000 });
  const { stdout } = await report("verify", "--live");
  expect(stdout).toMatch(/^Verified [1-9]\d* events /mu);
  expect(findingsOf(stdout)).toEqual([]);
});

/**
 * Returns the findings about our books: other programs write to a node's store too, and their events are unknown
 * here.
 */
function findingsOf(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => /^[a-z-]+: /u.test(line) && !line.includes("(GuestSigned)"));
}

it("--allow-debt is refused for a credit and for the role support", async () => {
  const { id, customer } = await customerWhoSpent();
  const credit = ["admin", "account", "credit", id, "--amount", "1", "--reference", "R", "--reason", "T"];
  expect((await hostledger(...credit, "--allow-debt")).code).toBe(2);
  const requested = { accountId: BigInt(id), amountCents: 1n, reference: "R", reason: "T", allowDebt: true };
  await expect(shop.instance.staff.accounts.adjustBalance(requested)).rejects.toThrow(
    "Only a debit may allow a debt.",
  );
  const { token } = await shop.instance.staff.members.addStaffMember({ name: "ben", role: "support" });
  const line = ["admin", "account", "debit", id, "--amount", "100", "--reference", "R", "--reason", "T"];
  const asked = [...line, "--allow-debt", "--admin-url", shop.instance.adminUrl];
  expect((await hostledgerInProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, ...asked)).code).toBe(1);
  expect(await balanceOf(customer)).toBe("90.01");
});
