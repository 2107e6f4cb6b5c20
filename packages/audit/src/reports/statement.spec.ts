import { describe, expect, it } from "vitest";
import {
  adjust,
  balanceByHand,
  charge,
  createBooks,
  instantAt,
  open,
  pay,
  randomBooks,
  randomNumbers,
  refund,
  takeBack,
} from "./books.fixture.ts";
import type { Event } from "./event.ts";
import { balanceAsOf, statementOf } from "./statement.ts";

const now = "2026-12-31T00:00:00.000000Z";
const minute = (count: number): string => instantAt(count * 60_000_000);

/** An account that was opened at minute 1, paid at 2, charged at 3 and refunded at 4. */
function ada() {
  const books = createBooks();
  books.command(7, minute(1), open(7));
  books.command(7, minute(2), pay("bank-1", 10_000n));
  books.command(7, minute(3), charge("registration-1", 1_000n));
  books.command(7, minute(4), refund("registration-1"));
  return books;
}

async function statement(events: Iterable<Event>, options: { from?: string; asOf?: string } = {}) {
  const report = await statementOf(events, { accountId: 7, now, ...options });
  if (!report.ok) throw new Error(report.rejection.message);
  return report.value;
}

describe("a statement", () => {
  it("shows the opening balance, each movement with its cause and document, and the closing balance", async () => {
    const made = await statement(ada().events);
    expect(made).toMatchObject({
      accountId: 7,
      name: "Ada",
      from: undefined,
      asOf: now,
      openingBalanceCents: 0n,
      closingBalanceCents: 10_000n,
    });
    expect(made.movements).toMatchObject([
      {
        type: "BalanceCredited.v1",
        time: minute(2),
        revision: 1n,
        amountCents: 10_000n,
        balanceAfterCents: 10_000n,
        cause: "bank-1",
        documentNumber: "2026-7-T000001",
        description: "Balance top-up",
        actor: "account:7",
        requestId: "request-1",
      },
      {
        type: "BalanceCharged.v1",
        time: minute(3),
        revision: 3n,
        amountCents: -1_190n,
        balanceAfterCents: 8_810n,
        cause: "registration-1",
        documentNumber: "2026-7-000001",
        description: "Registration of example.com",
      },
      {
        type: "RegistrationRefunded.v1",
        amountCents: 1_190n,
        balanceAfterCents: 10_000n,
        documentNumber: "2026-7-C000001",
        description: "Refund: order-refused",
      },
    ]);
  });

  it("shows corrections by staff, with their reasons", async () => {
    const books = ada();
    books.command(7, minute(5), adjust("case-12", -2_500n, "Paid twice"));
    books.command(7, minute(6), adjust("case-12", 2_500n, "After all not"));
    books.command(7, minute(7), takeBack("bank-1"));
    const made = await statement(books.events, { from: minute(5) });
    expect(made).toMatchObject({ openingBalanceCents: 10_000n, closingBalanceCents: 0n });
    expect(made.movements).toMatchObject([
      {
        amountCents: -2_500n,
        cause: "case-12",
        documentNumber: "",
        description: "Debit by staff: Paid twice",
      },
      { amountCents: 2_500n, cause: "case-12", description: "Credit by staff: After all not" },
      { amountCents: -10_000n, cause: "bank-1", description: "Payment taken back: Returned by the bank" },
    ]);
  });

  it("sums movements before its period into the opening balance, and omits later ones", async () => {
    const made = await statement(ada().events, { from: minute(3), asOf: minute(3) });
    expect(made).toMatchObject({ openingBalanceCents: 10_000n, closingBalanceCents: 8_810n });
    expect(made.movements.map(({ amountCents }) => amountCents)).toEqual([-1_190n]);
  });

  it("includes a movement at its last instant, and no later one", async () => {
    const justBefore = instantAt(3 * 60_000_000 - 1);
    expect((await statement(ada().events, { asOf: minute(3) })).closingBalanceCents).toBe(8_810n);
    expect((await statement(ada().events, { asOf: justBefore })).closingBalanceCents).toBe(10_000n);
  });

  it("computes balances itself instead of reading those in events", async () => {
    const { events } = ada();
    const lied = events.map((event) => ({
      ...event,
      data: event.data.replace('"balanceAfterCents":"8810"', '"balanceAfterCents":"999999"'),
    }));
    expect((await statement(lied)).movements.map(({ balanceAfterCents }) => balanceAfterCents)).toEqual([
      10_000n,
      8_810n,
      10_000n,
    ]);
  });

  it("reads a name that is erased or sealed", async () => {
    const books = createBooks();
    const sealed = `sealed:v1:7:${"A".repeat(2_000)}`;
    books.store("account-7", minute(1), "AccountOpened.v1", { accountId: 7, name: sealed });
    books.store("account-7", minute(2), "BalanceCharged.v1", {
      chargeId: "registration-1",
      invoiceId: 1,
      grossCents: "1190",
      balanceAfterCents: "0",
      chargedAt: minute(2),
    });
    books.store("account-7", minute(2), "InvoiceIssued.v2", {
      invoiceId: 1,
      number: "2026-7-000001",
      action: "purchase",
      cause: "registration-1",
      pricesIncludeVat: false,
      lines: [{ description: "a year", quantity: 1, unitCents: "1000", amountCents: "1000" }],
      netCents: "1000",
      vatRatePercent: 19,
      vatCents: "190",
      grossCents: "1190",
      duration: 1,
      domainId: 1,
      serverId: null,
      planId: null,
      issuedAt: minute(2),
    });
    expect(await statement(books.events)).toMatchObject({
      name: sealed,
      movements: [{ documentNumber: "2026-7-000001", description: "a year" }],
    });
  });

  it("has the last movement in it, although a clock ahead of ours stored it", async () => {
    const { events } = ada();
    const report = await statementOf(events, { accountId: 7, now: minute(3) });
    expect(report).toMatchObject({
      ok: true,
      value: { asOf: minute(4), closingBalanceCents: 10_000n, movements: { length: 3 } },
    });
  });

  it("omits an erased name, also for earlier times", async () => {
    const books = ada();
    books.store("account-7", minute(5), "PersonalDataErased.v1", { accountId: 7, erasedAt: minute(5) });
    expect(await statement(books.events, { asOf: minute(4) })).toMatchObject({
      name: "[erased]",
      closingBalanceCents: 10_000n,
    });
  });

  it("shows a document only at its own movement", async () => {
    const { events } = ada();
    const forged = events.map((event) => ({
      ...event,
      data: event.type.startsWith("InvoiceIssued")
        ? event.data.replace("registration-1", "registration-2")
        : event.data,
    }));
    const [, charged] = (await statement(forged)).movements;
    expect(charged).toMatchObject({ documentNumber: "", documentId: 0, description: "Charge" });
  });

  it.each([
    ["of an account that does not exist", [], {}, "not-found", "There is no account 7."],
    [
      "as of an instant before the first event",
      ada().events,
      { asOf: minute(0) },
      "validation-failed",
      `Account 7 was opened at ${minute(1)}: it had no balance yet at ${minute(0)}.`,
    ],
    [
      "as of an instant in the future",
      ada().events,
      { asOf: "2027-01-01T00:00:00.000000Z" },
      "validation-failed",
      "2027-01-01T00:00:00.000000Z is in the future: nobody knows the events up to it yet.",
    ],
    [
      "of a period that ends before it begins",
      ada().events,
      { from: minute(3), asOf: minute(2) },
      "validation-failed",
      `The period begins at ${minute(3)}, after its end at ${minute(2)}.`,
    ],
  ])("%s is refused with one sentence", async (_what, events, options, code, message) => {
    expect(await statementOf(events, { accountId: 7, now, ...options })).toEqual({
      ok: false,
      rejection: { code, message },
    });
  });
});

describe("events that are not in the books", () => {
  it("are skipped if they are foreign, and named if they cannot be read", async () => {
    const books = ada();
    const before = await statement(books.events);
    const foreign = books.store("account-7", minute(5), "CrmNoteTaken", {});
    Object.assign(foreign, { metadata: "{}" });
    books.store("account-7", minute(5), "BalanceCredited.v1", { amountCents: "5" });
    const nobodys = books.store("account-7", minute(5), "BalanceCharged.v1", {});
    Object.assign(nobodys, { metadata: "none" });
    const { unreadable, ...made } = await statement(books.events);
    expect({ ...made, unreadable: [] }).toEqual(before);
    expect(unreadable).toEqual([
      expect.stringMatching(/^account-7@\d+ \(BalanceCredited\.v1\): BalanceCredited\.v1: /u),
      expect.stringMatching(/^account-7@\d+ \(BalanceCharged\.v1\): event metadata: it is not JSON$/u),
    ]);
  });
});

describe("a balance as of an instant", () => {
  it("equals the fold of the events up to it, for 1,000 random pairs of account and instant", async () => {
    const { events, stream } = randomBooks(6, 25, 4_000);
    const random = randomNumbers(1_000);
    const times = events.map(({ time }) => time);
    let answered = 0;
    for (let pair = 0; pair < 1_000; pair++) {
      const accountId = 1 + random(25);
      // Every other instant is exactly an event's time, where an off-by-one error would show.
      const some = times[random(times.length)] ?? now;
      const asOf = pair % 2 === 0 ? some : instantAt(random(260_000) * 1_000_000 + random(1_000_000));
      const own = stream(`account-${String(accountId)}`);
      const report = await balanceAsOf(own, { accountId, asOf, now });
      if ((own[0]?.time ?? now) > asOf) expect(report.ok).toBe(false);
      else {
        expect(report).toMatchObject({
          ok: true,
          value: { balanceCents: balanceByHand(events, accountId, asOf) },
        });
        answered += 1;
      }
    }
    expect(answered).toBeGreaterThan(900);
  });

  it("is the closing balance of the statement, and names the last event that counted", async () => {
    const { events } = ada();
    expect(await balanceAsOf(events, { accountId: 7, asOf: minute(3), now })).toEqual({
      ok: true,
      value: { accountId: 7, asOf: minute(3), balanceCents: 8_810n, revision: 4n, unreadable: [] },
    });
  });

  it("does not exist for an account that does not", async () => {
    const report = await balanceAsOf([], { accountId: 7, asOf: minute(3), now });
    expect(report).toMatchObject({ ok: false, rejection: { code: "not-found" } });
  });
});
