import { unknown, type PaymentProvider } from "@hostledger/providers";
import { manualClock, realTiming } from "@hostledger/runtime";
import { failedAttempt } from "@hostledger/work";
import { expect, it, onTestFinished } from "vitest";

import { openAccountService } from "../account-service.fixture.ts";

/** A provider that never answers. */
const silent: PaymentProvider = {
  name: "silent",
  methods: ["card"],
  order: () => Promise.resolve(unknown("No route to the provider")),
  inquire: () => Promise.resolve(unknown("No route to the provider")),
  removeMethod: () => Promise.resolve(unknown("No route to the provider")),
  refund: () => Promise.resolve(unknown("No route to the provider")),
  inquireRefund: () => Promise.resolve(unknown("No route to the provider")),
  listMovements: () => Promise.resolve(unknown("No route to the provider")),
};

it("many payments without an answer of one provider cause one staff ticket a day, and are tried hourly in the end", async () => {
  const clock = manualClock("2026-03-01T00:00:00.000000Z", realTiming);
  const service = await openAccountService({ clock, payments: { provider: silent, returnOrigins: [] } });
  onTestFinished(() => service.close());
  for (let count = 0; count < 5; count += 1) {
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    const payments = service.payments({ kind: "account", accountId: Number(accountId), keyId: 1 });
    // The answer is lost: the work engine goes on asking.
    await payments
      .requestTopUp({ amountCents: 5_000n, method: "card", returnUrl: "" })
      .catch(() => undefined);
  }
  const tickets = async () => {
    const causes: string[] = [];
    for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
      causes.push(
        ...events.map(({ stream }) => stream).filter((stream) => stream.startsWith("ticketcause-")),
      );
      if (caughtUp) break;
    }
    return causes;
  };
  const hour = async () => {
    clock.advance(3_600_000);
    await service.projector.after(await service.store.lastPosition());
    return (await service.work.runDue()).get(failedAttempt) ?? 0;
  };
  for (let hours = 0; hours < 8; hours += 1) await hour();
  expect(await tickets()).toEqual([]);
  for (let hours = 8; hours < 20; hours += 1) await hour();
  expect(await tickets()).toEqual(["ticketcause-unanswered-payments-silent-2026-03-01"]);
  // No pause is longer than an hour.
  expect(await hour()).toBe(5);
});
