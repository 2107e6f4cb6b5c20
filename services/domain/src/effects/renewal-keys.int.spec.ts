import { failuresBeforeTicket, TemporarilyUnavailableError } from "@hostledger/core";
import { manualClock, realTiming } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { ofTest, openDomainService } from "../domain-service.fixture.ts";

const hourMs = 3_600_000;

it("an automatic renewal waits while the keys of documents are missing, opens one ticket, and runs when they are back", async () => {
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const service = ofTest(await openDomainService({ clock }));
  const { accountId, domains } = service.customer(6_000n);
  for (const domain of ["one.com", "two.com"]) await domains.registerDomain({ domain, autoRenew: true });
  await service.settled();
  const { accounts, store } = service;
  const { requireDocumentKey } = accounts;
  accounts.requireDocumentKey = () => Promise.reject(new TemporarilyUnavailableError("No keys are there"));
  clock.advance(360 * 24 * hourMs);
  for (let attempt = 1; attempt <= failuresBeforeTicket + 2; attempt += 1) {
    expect(await service.runDueWork()).toMatchObject({ renewed: 0, skipped: 2 });
    clock.advance(hourMs);
  }
  expect(accounts.balanceOf(accountId)).toBe(4_000n);
  const tickets: string[] = [];
  const day = clock.now().slice(0, 10);
  for await (const { data } of store.read(`ticketcause-unanswered-terms-domains-${day}`)) tickets.push(data);
  expect(tickets).toHaveLength(1);
  expect(tickets[0]).toContain("No keys are there");
  accounts.requireDocumentKey = requireDocumentKey;
  expect(await service.runDueWork()).toMatchObject({ renewed: 2 });
  expect(accounts.balanceOf(accountId)).toBe(1_600n);
});
