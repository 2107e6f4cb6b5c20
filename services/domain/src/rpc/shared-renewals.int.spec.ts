import { withAppend, type EventStore } from "@hostledger/store";
import { systemClock } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { eventually, ofTest, openDomainService, operation } from "../domain-service.fixture.ts";

const dayMs = 86_400_000;

interface Around {
  readonly before: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

function shared(store: EventStore, { before, after }: Around): EventStore {
  const append: EventStore["append"] = async (stream, expected, events) => {
    const begins = events.some(({ type }) => type.startsWith("DomainRenewalStarted"));
    if (begins) await before();
    const result = await store.append(stream, expected, events);
    if (begins) await after?.();
    return result;
  };
  return { ...withAppend(store, append), shared: true };
}

it("is paid at its event's price if another process began it, at another price, and stopped", async () => {
  const decided = Promise.withResolvers<undefined>();
  const stored = Promise.withResolvers<undefined>();
  const goesOn = Promise.withResolvers<undefined>();
  const stopped = ofTest(
    await openDomainService({
      store: (store) =>
        shared(store, {
          before: () => decided.promise,
          after() {
            stored.resolve(undefined);
            return goesOn.promise;
          },
        }),
    }),
  );
  const { accounts, store } = stopped;
  const other = ofTest(
    await openDomainService({
      store: () =>
        shared(store, {
          before() {
            decided.resolve(undefined);
            return stored.promise;
          },
        }),
      accounts,
      clock: systemClock(dayMs),
    }),
  );
  const prices = { tld: "com", registrationCents: 1_000n, renewalCents: 1_500n, transferCents: 900n };
  const validFrom = new Date(systemClock().epochMilliseconds() + dayMs / 2).toISOString();
  await stopped.staff().setPrice({ ...prices, active: true, validFrom });
  const { accountId, domains } = stopped.customer();
  const { domain } = await domains.registerDomain({ domain: "mine.com" });
  const domainId = domain?.id ?? 0n;
  const elsewhere = other.domains({ kind: "account", accountId, keyId: 1 });
  await eventually(() => elsewhere.getDomain({ domainId }));

  const answers = Promise.allSettled(
    [domains, elsewhere].map((client) => client.renewDomain({ domainId }, operation("operation-1"))),
  );
  const charge = await eventually(() => {
    const [renewal] = accounts.charges.values().drop(1);
    if (renewal === undefined) throw new Error("the renewal is not charged yet");
    return renewal;
  });
  const begun: unknown[] = [];
  for await (const { type, data } of store.read("domain-mine.com"))
    if (type.startsWith("DomainRenewalStarted")) begun.push(JSON.parse(data));
  expect(begun).toEqual([expect.objectContaining({ yearNetCents: String(charge.grossCents) })]);
  goesOn.resolve(undefined);
  await answers;
});
