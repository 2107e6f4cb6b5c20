import { join } from "node:path";

import { emptyLocation } from "@hostledger/read/testing";
import { randomIds } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  openDomainService,
  type DomainClient,
  type DomainServiceFixture,
} from "../domain-service.fixture.ts";

const day = 86_400_000;

let service: DomainServiceFixture;
let domains: DomainClient;
let accountId: number;

function heldUp() {
  let isHeld = false;
  return {
    hold() {
      isHeld = true;
    },
    store: (store: EventStore): EventStore => ({
      append: (stream, expected, events) => store.append(stream, expected, events),
      read: (stream, options) => store.read(stream, options),
      async *subscribe(options) {
        const ended = new Promise((resolve) => options.signal?.addEventListener("abort", resolve));
        for await (const batch of store.subscribe(options)) {
          if (isHeld) await ended;
          if (options.signal?.aborted === true) return;
          yield batch;
        }
      },
      lastPosition: () => store.lastPosition(),
      close: () => store.close(),
    }),
  };
}

let holding: ReturnType<typeof heldUp>;

beforeEach(async () => {
  holding = heldUp();
  service = await openDomainService({ store: holding.store });
  ({ domains, accountId } = service.customer(100_000n));
});
afterEach(() => service.close());

describe("while the list of domains stands still", () => {
  it("a charged registration is answered as such, with its domain", async () => {
    holding.hold();
    const answer = await domains.registerDomain({ domain: "paid.com", years: 2, autoRenew: true });
    expect(answer).toMatchObject({ amountChargedCents: 2_000n, years: 2 });
    expect(answer.domain).toMatchObject({ domainName: "paid.com", autoRenew: true, dnsRecordsCount: 2 });
    expect(service.accounts.balanceOf(accountId)).toBe(98_000n);
  });

  it("changes and renewals of a domain are answered as they left it", async () => {
    const { domain } = await domains.registerDomain({ domain: "kept.com" });
    const domainId = domain?.id ?? 0n;
    holding.hold();
    const renewed = await domains.renewDomain({ domainId, years: 1 });
    expect(renewed.domain?.expiryDate).not.toBe(domain?.expiryDate);
    const settings = await domains.updateSettings({ domainId, autoRenew: true, lockStatus: false });
    expect(settings.domain).toMatchObject({ autoRenew: true, lockStatus: false });
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const moved = await domains.updateNameservers({ domainId, nameservers });
    expect(moved.domain).toMatchObject({ usesServiceNameservers: false, nameservers });
  });

  it("a DNS record is answered with the time at which it was made", async () => {
    const { domain } = await domains.registerDomain({ domain: "zone.com" });
    const domainId = domain?.id ?? 0n;
    const content = { type: "A", name: "shop", value: "192.0.2.7" };
    holding.hold();
    const { record: added } = await domains.addDnsRecord({ domainId, content });
    const recordId = added?.id ?? 0n;
    const { record } = await domains.updateDnsRecord({
      domainId,
      recordId,
      content: { ...content, value: "192.0.2.8" },
    });
    expect(record).toMatchObject({ value: "192.0.2.8", createdAt: added?.createdAt });
  });
});

it("a list that was never built is reported as not ready, not as empty", async () => {
  await service.close();
  const readModels = await emptyLocation(join(directoryOfTest(), "domain.sqlite"));
  const never = heldUp();
  never.hold();
  service = await openDomainService({ store: never.store, readModels, given: storeForeign, isReady: false });
  const { domains: customer } = service.customer();
  await expect(refusalOf(customer.listDomains({}))).resolves.toEqual({
    code: "temporarily-unavailable",
    message: "This list is still being built.",
    detail: { retryAfterSeconds: 1 },
  });
  await expect(customer.registerDomain({ domain: "first.com" })).resolves.toMatchObject({
    domain: { domainName: "first.com" },
  });
});

it("an order is answered with the date of its hold, also without a built list of prices", async () => {
  await service.close();
  const never = heldUp();
  never.hold();
  service = await openDomainService({ store: never.store, given: storeForeign, isReady: false });
  await service.staff().setPrice({
    tld: "net",
    registrationCents: 1_000n,
    renewalCents: 1_200n,
    transferCents: 900n,
    active: true,
    graceDays: 7,
  });
  const { domains: customer } = service.customer();
  const { domain } = await customer.registerDomain({ domain: "priced.net" });
  const daysToHold = (Date.parse(domain?.holdBeginsAt ?? "") - Date.parse(domain?.expiryDate ?? "")) / day;
  expect(daysToHold).toBe(7);
});

/** Stores an event, so that the first build has something to read. */
async function storeForeign(store: EventStore): Promise<void> {
  const foreign = { id: randomIds.uuid(), type: "SomethingForeign.v1", data: "{}", metadata: "{}" };
  await store.append("domain-foreign.com", "no-stream", [foreign]);
}
