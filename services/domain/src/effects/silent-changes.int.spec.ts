import { unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { ofTest, openDomainService } from "../domain-service.fixture.ts";

it("many unanswered changes at one registrar cause one staff ticket a day", async () => {
  const clock = manualClock("2026-03-01T00:00:00.000000Z", realTiming);
  const provider = { isSilent: false };
  const silent = (registrar: Registrar): Registrar => ({
    ...plainRegistrar(registrar),
    updateSettings: (name, settings) =>
      provider.isSilent ? Promise.resolve(unknown("No answer")) : registrar.updateSettings(name, settings),
    inquire: (name) => (provider.isSilent ? Promise.resolve(unknown("No answer")) : registrar.inquire(name)),
  });
  const service = ofTest(await openDomainService({ clock, registrar: silent, changeWaitLimitMs: 1 }));
  const names = ["one.com", "two.com", "three.com"];
  const customer = service.customer(100_000n);
  const ids: bigint[] = [];
  for (const domain of names) {
    const { domain: registered } = await customer.domains.registerDomain({ domain });
    ids.push(registered?.id ?? 0n);
  }
  await service.settled();
  provider.isSilent = true;
  for (const domainId of ids)
    await customer.domains.updateSettings({ domainId, lockStatus: false }).catch(() => undefined);
  const causes = async () => {
    const streams: string[] = [];
    for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
      streams.push(
        ...events.map(({ stream }) => stream).filter((stream) => stream.startsWith("ticketcause-")),
      );
      if (caughtUp) return streams;
    }
    return streams;
  };
  for (let hour = 0; hour < 20; hour += 1) {
    clock.advance(3_600_000);
    await service.runDueWork();
  }
  expect(await causes()).toEqual(["ticketcause-unanswered-changes-sandbox-2026-03-01"]);
  for (let hour = 0; hour < 20; hour += 1) {
    clock.advance(3_600_000);
    await service.runDueWork();
  }
  expect(await causes()).toEqual([
    "ticketcause-unanswered-changes-sandbox-2026-03-01",
    "ticketcause-unanswered-changes-sandbox-2026-03-02",
  ]);
});
