import { teamChargeId } from "@hostledger/core";
import { describe, expect, it } from "vitest";
import { charge, createBooks, grant, open, pay, refund, type Books } from "../books.fixture.ts";
import type { Events } from "../event.ts";
import { explanationText } from "../timeline/timeline.ts";
import { explainInvoice, type Explanation } from "./explain-invoice.ts";
import {
  deliveredRegistration,
  openRegistration,
  refundedRegistration,
  second,
} from "./explanation.fixture.ts";

async function explain(books: Books, invoice: string, readStream: (name: string) => Events = books.stream) {
  const report = await explainInvoice({ invoice, accountId: 7, readStream });
  if (!report.ok) throw new Error(report.rejection.message);
  return report.value;
}

function reported({ steps }: Explanation): readonly string[] {
  return steps.map(({ kind, event }) => `${kind} ${event.type}`);
}

function numberIn(books: Books, action: string): { readonly number: string; readonly id: string } {
  const invoice = books.events.find(({ data }) => data.includes(`"action":"${action}"`))?.data ?? "";
  return {
    number: /"number":"([^"]+)"/u.exec(invoice)?.[1] ?? "",
    id: /"invoiceId":(\d+)/u.exec(invoice)?.[1] ?? "",
  };
}

describe("an explanation", () => {
  it("goes from the request through charge, order and zone to the delivery, in the order of time", async () => {
    const explanation = await explain(deliveredRegistration(), "2026-7-000001");
    expect(explanation).toMatchObject({
      number: "2026-7-000001",
      accountId: 7,
      cause: "registration-1",
      grossCents: 1_190n,
      outcome: "delivered",
    });
    expect(reported(explanation)).toEqual([
      "request RequestBegun.v1",
      "order RegistrationStarted.v1",
      "order RegistrationReserved.v1",
      "charge BalanceCharged.v1",
      "charge InvoiceIssued.v3",
      "order RegistrarOrderCompleted.v1",
      "delivery DomainRegistered.v1",
      "zone ZoneCreated.v1",
      "zone ZoneDelivered.v1",
      "other RegistrationCompleted.v1",
      "other RequestAnswered.v2",
    ]);
  });

  it("names the actor and the request", async () => {
    const { steps } = await explain(deliveredRegistration(), "2026-7-000001");
    expect(new Set(steps.map(({ actor, requestId }) => `${actor} ${requestId ?? ""}`))).toEqual(
      new Set(["account:7 request-1"]),
    );
    expect(steps[0]?.text).toBe("Account 7 began operation 1.");
  });

  it("ends with the refund if the charge was refunded", async () => {
    const explanation = await explain(refundedRegistration(), "2026-7-000001");
    expect(explanation.outcome).toBe("refunded");
    expect(reported(explanation).slice(-5)).toEqual([
      "order RegistrarOrderRefused.v1",
      "refund RegistrationRefunded.v1",
      "refund CorrectionIssued.v3",
      "other RegistrationReleased.v1",
      "other RegistrationCompleted.v1",
    ]);
  });

  it("ends with the delivery if staff refunded a part later, and shows the refund", async () => {
    const books = deliveredRegistration();
    books.command(7, second(20), grant("registration-1", 333n));
    const explanation = await explain(books, "2026-7-000001");
    expect(explanation.outcome).toBe("delivered");
    expect(reported(explanation).slice(-2)).toEqual([
      "refund RefundGranted.v1",
      "refund CorrectionIssued.v3",
    ]);
  });

  it("is open while the process runs", async () => {
    expect((await explain(openRegistration(), "2026-7-000001")).outcome).toBe("open");
  });

  it("is delivered if an internal team charged, and refunded if the team refunded", async () => {
    const books = openRegistration();
    const id = teamChargeId("backups", "march");
    books.command(7, second(20), charge(id, 500n, "Backups, March"));
    expect((await explain(books, "2026-7-000003")).outcome).toBe("delivered");
    books.command(7, second(21), refund(id, "not needed", "RefundCharge"));
    expect((await explain(books, "2026-7-000003")).outcome).toBe("refunded");
  });

  it("finds an invoice by its id, and by the correction of it", async () => {
    const books = refundedRegistration();
    const { number, id } = numberIn(books, "purchase");
    expect(number).toBe("2026-7-000001");
    expect(await explain(books, id)).toEqual(await explain(books, number));
    expect(await explain(books, "2026-7-C000001")).toEqual(await explain(books, number));
  });

  it("explains a payment and its receipt", async () => {
    const explanation = await explain(deliveredRegistration(), "2026-7-T000001");
    expect(explanation).toMatchObject({ outcome: "credited", cause: "bank-1", grossCents: 10_000n });
    expect(reported(explanation)).toEqual([
      "request BalanceCredited.v1",
      "charge BalanceCredited.v1",
      "charge InvoiceIssued.v3",
    ]);
  });

  it.each([
    [
      { actor: "account:7", requestId: "request-2", correlationId: "c" },
      "account:7 sent the request request-2.",
    ],
    [{ actor: "process:life-cycle", correlationId: "c" }, "process:life-cycle began this without a request."],
    [{}, "Somebody began this without a request."],
  ])("begins with the request if that is no event of its own: %j", async (metadata, text) => {
    const books = createBooks(metadata);
    books.command(7, second(1), open(7));
    books.command(7, second(2), pay("bank-1", 10_000n));
    const [first] = (await explain(books, "2026-7-T000001")).steps;
    expect(first).toMatchObject({ kind: "request", text, event: { type: "BalanceCredited.v1" } });
  });

  it("reads the few streams that the charge names, and no other", async () => {
    const books = deliveredRegistration();
    const read: string[] = [];
    await explain(books, "2026-7-000001", (stream) => {
      read.push(stream);
      return books.stream(stream);
    });
    expect(read.toSorted()).toEqual([
      "account-7",
      "domain-example.com",
      "registration-1",
      expect.stringMatching(/^request-[0-9a-f]{64}$/u),
    ]);
  });

  it("is refused for an invoice that the account does not have, another account's too", async () => {
    for (const invoice of ["2026-7-000099", "999999", "2026-8-T000001", ""]) {
      expect(
        await explainInvoice({ invoice, accountId: 7, readStream: deliveredRegistration().stream }),
      ).toEqual({ ok: false, rejection: { code: "not-found", message: `There is no invoice ${invoice}.` } });
    }
  });

  it("shows itself to a person", async () => {
    const text = explanationText(await explain(refundedRegistration(), "2026-7-000001"));
    expect(text).toMatch(/^outcome +refunded$/mu);
    expect(text).toMatch(
      /^2026-01-01T00:00:07\.000000Z {2}charge +11\.90 EUR was charged for registration-1; the balance is 88\.10 EUR\. \(by account:7, request request-1\) +account-7@3$/mu,
    );
  });
});
