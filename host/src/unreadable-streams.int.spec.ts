import type { EventStore, EventToAppend } from "@hostledger/store";
import { randomIds, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";

import { request, staffOf, start } from "./standalone.fixture.ts";
import type { StartedParts } from "./start-parts.ts";

/** Returns an event that a provider's CRM writes into our streams. */
function crmNote(): EventToAppend {
  return { id: randomIds.uuid(), type: "CrmNoteTaken", data: '{"note":"likes tea"}', metadata: "{}" };
}

/** Starts an instance with its demo, whose store another program also opens. */
async function instanceWithStore(data = directoryOfTest()) {
  const stores: EventStore[] = [];
  const decorate = {
    store: (store: EventStore) => {
      stores.push(store);
      return store;
    },
  };
  const instance = await start(data, {}, decorate, silentLogger());
  const demo = await instance.openDemo();
  const [store] = stores;
  if (store === undefined) throw new Error("an instance opens its event store");
  return { instance, data, store, apiKey: demo?.apiKey ?? "", staff: staffOf(instance, data) };
}

/** A second account with 100.00 EUR. */
async function secondAccount(staff: ReturnType<typeof staffOf>) {
  const { accountId } = await staff.accounts.openAccount({ name: "Ada" });
  await staff.accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: randomIds.uuid() });
  const { apiKey } = await staff.accounts.issueApiKey({ accountId });
  return { accountId, apiKey };
}

const order = (instance: StartedParts, key: string, domain: string) =>
  request(instance, key, "/domains", { domain });

describe("one CrmNoteTaken", () => {
  it("in account-2 blocks nothing: its customer and staff continue", async () => {
    const { instance, store, staff } = await instanceWithStore();
    const { accountId, apiKey } = await secondAccount(staff);
    expect(accountId).toBe(2n);
    await store.append("account-2", "any", [crmNote()]);
    expect(await order(instance, apiKey, "noted.com")).toMatchObject({ status: 201 });
    await store.append("account-2", "any", [crmNote()]);
    await staff.accounts.topUpAccount({ accountId, amountCents: 1n, reference: "second" });
    expect(await staff.accounts.showAccount({ accountId })).toMatchObject({ balanceCents: 8_811n });
  });

  it.each(["sequence-apikey", "sequence-account", "pricelist-com", "domain-zzz.com", "stock-1-1"])(
    "in %s stops no sale and no key",
    async (stream) => {
      const { instance, data, store, staff } = await instanceWithStore();
      await store.append(stream, "any", [crmNote()]);
      const { apiKey } = await secondAccount(staff);
      expect(await order(instance, apiKey, "zzz.com")).toMatchObject({ status: 201 });
      await store.append(stream, "any", [crmNote()]);
      await instance.close();

      const again = await start(data);
      const next = await secondAccount(staffOf(again, data));
      expect(await order(again, next.apiKey, "zzz2.com")).toMatchObject({ status: 201 });
      const server = { plan_id: 1, region_id: 1, distro_id: 1 };
      expect(await request(again, next.apiKey, "/order", server)).toMatchObject({ status: 201 });
    },
  );
});

describe("an event that cannot be read", () => {
  it.each([
    ["of ours without metadata", "BalanceCharged.v1", '{"chargeId":"c"}', "{}"],
    ["of a newer version", "BalancePledged.v1", "{}", '{"actor":"staff","recordedBy":"account-service"}'],
  ])(
    "%s stops its account with 503 and a reason, and no other account",
    async (_what, type, text, metadata) => {
      const { instance, store, staff, apiKey: other } = await instanceWithStore();
      const { accountId, apiKey } = await secondAccount(staff);
      await store.append("account-2", "any", [{ id: randomIds.uuid(), type, data: text, metadata }]);
      expect(await order(instance, apiKey, "stopped.com")).toMatchObject({ status: 503 });
      const answer = await fetch(`${instance.baseUrl}/billing/balance`, {
        headers: { authorization: apiKey },
      });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await answer.json()).toEqual({
        status: false,
        code: "record_unreadable",
        error: expect.stringContaining("staff are told") as string,
      });
      const refused = await staff.accounts
        .topUpAccount({ accountId, amountCents: 1n, reference: "second" })
        .catch((error: unknown) => ConnectError.from(error));
      expect(refused).toMatchObject({
        code: Code.Unavailable,
        rawMessage: expect.stringMatching(/^A stored event cannot be used: account-2@\d+ /u) as string,
      });
      expect(await order(instance, other, "other.com")).toMatchObject({ status: 201 });
    },
  );
});
