import { join } from "node:path";

import { accountAggregate, type ChargeOrder } from "@hostledger/core";
import { randomIds, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { openTestStore } from "../embedded/test-store.fixture.ts";
import { createAccounts, type AccountCommands } from "./accounts.ts";
import { createCommandHandler } from "./command-handler.ts";

const context = { correlationId: "spec", requestId: "spec", actor: "service:domain" };
const clock = systemClock();

/** Makes several processes with one store and own account handlers, and an account with a balance. */
async function processes(count: number, amountCents = 1_000_000n, refusesWrites?: () => boolean) {
  const path = join(directoryOfTest(), "events.sqlite");
  const store = await openTestStore(path, { now: () => clock.now(), shared: true });
  onTestFinished(() => store.close());
  const all = Array.from({ length: count }, (_, index) => {
    const commands = createCommandHandler({ store, recordedBy: `process-${String(index)}` });
    return createAccounts({
      store,
      commands,
      clock,
      ids: randomIds,
      ...(refusesWrites && { refusesWrites }),
    });
  });
  const [first] = all;
  if (first === undefined) throw new Error("a store without a process");
  const at = clock.now();
  for (const command of [
    { type: "OpenAccount", data: { accountId: 7, name: "Ada", vatExempt: true, at } },
    { type: "CreditBalance", data: { reference: "opening", amountCents, invoiceId: 1, at } },
  ] as const) {
    const { accepted } = await first.execute(7, command, { ...context, commandId: command.type });
    expect(accepted).toBe(true);
  }
  return { store, all, first };
}

const orderOf = (chargeId: string): ChargeOrder => ({
  accountId: 7,
  chargeId,
  action: "purchase",
  lines: [{ description: "Registration", quantity: 1, unitNetCents: 1_000n }],
  pricesIncludeVat: false,
  duration: 1,
  domainId: 3,
  serverId: null,
  planId: null,
  supply: null,
  sold: null,
});

const chargesOf = async (accounts: AccountCommands, chargeIds: readonly string[]) => {
  const found = await accounts.find(7);
  return chargeIds.map((chargeId) => found?.account.charges.get(chargeId)?.invoiceNumber);
};

describe("three processes that charge one account for 64 clients", () => {
  it("charge each order once, refuse none as overloaded, and leave no gap in the invoices", async () => {
    const { store, all, first } = await processes(3);
    const clients = Array.from({ length: 64 }, (_, index) => index);
    const answers = await Promise.all(
      clients.map(async (client) => {
        const accounts = all[client % all.length] ?? first;
        const made = [];
        for (let number = 0; number < 4; number += 1)
          made.push(await accounts.charge(orderOf(`order-${String(client)}-${String(number)}`), context));
        return made;
      }),
    );
    const refusals = answers.flat().flatMap((answer) => (answer.accepted ? [] : [answer.rejection.code]));
    expect(refusals).toEqual([]);
    const chargeIds = clients.flatMap((client) =>
      [0, 1, 2, 3].map((number) => `order-${String(client)}-${String(number)}`),
    );
    const numbers = await chargesOf(first, chargeIds);
    expect(new Set(numbers)).toHaveLength(256);
    expect((await first.find(7))?.account).toMatchObject({
      balanceCents: 1_000_000n - 256_000n,
      documentCounts: { invoice: 256 },
    });
    for await (const { type } of store.read("account-7")) expect(type).not.toContain("Refund");
  });

  it("charge an order once that all of them get, and refund it once", async () => {
    const { all, first } = await processes(3, 1_000n);
    const charges = await Promise.all(all.map((accounts) => accounts.charge(orderOf("same"), context)));
    expect(charges.filter((answer) => answer.accepted && answer.isNew)).toHaveLength(1);
    expect(new Set(charges.map((answer) => answer.accepted && answer.charge.invoiceId))).toHaveLength(1);
    const refund = { accountId: 7, chargeId: "same", of: "registration", reason: "Refused" } as const;
    const refunds = await Promise.all(all.map((accounts) => accounts.refund(refund, context)));
    expect(new Set(refunds.map((answer) => answer.accepted && answer.correctionId))).toHaveLength(1);
    expect((await first.find(7))?.account.balanceCents).toBe(1_000n);
  });
});

describe("an order", () => {
  it("has its charge and its invoice in one append, under the same id in every process", async () => {
    const { store, all } = await processes(2);
    for (const accounts of all) await accounts.charge(orderOf("order-1"), context);
    const events = [];
    for await (const event of store.read(`${accountAggregate.category}-7`, { from: 3n })) events.push(event);
    expect(events.map(({ type }) => type.replace(/\.v\d+$/, ""))).toEqual([
      "BalanceCharged",
      "InvoiceIssued",
    ]);
    expect(events.map(({ metadata }) => JSON.parse(metadata) as unknown)).toMatchObject([
      { actor: "service:domain", requestId: "spec", commandId: "charge/order-1" },
      { actor: "service:domain", requestId: "spec", commandId: "charge/order-1" },
    ]);
  });

  it("is refused without a document id if the account refuses it, and while no money may move", async () => {
    let isRewound = false;
    const { store, first } = await processes(1, 10n, () => isRewound);
    const before = await store.lastPosition();
    const poor = await first.charge(orderOf("order-1"), context);
    isRewound = true;
    const rewound = await first.charge(orderOf("order-1"), context);
    expect([poor, rewound]).toMatchObject([
      { accepted: false, rejection: { code: "insufficient-balance" } },
      { accepted: false, rejection: { code: "store-rewound" } },
    ]);
    await expect(store.lastPosition()).resolves.toBe(before);
  });
});
