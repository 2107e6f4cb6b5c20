import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { account } from "@hostledger/protocol";
import type { LogEvent } from "@hostledger/audit/log";
import { differenceLine, reconcile } from "@hostledger/audit/verification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isNoise } from "../support/noisy-store.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** Reconciliation of a running instance's events: a bundle may end at any checkpoint. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

/** Returns all events so far, in log order, without foreign ones. */
async function log(): Promise<readonly LogEvent[]> {
  const storedEvents: LogEvent[] = [];
  for await (const { events } of shop.instance.staff.audits.readEvents({}))
    storedEvents.push(...events.map(({ $typeName: _, index: __, ...event }) => event));
  return storedEvents.filter(({ stream }) => !isNoise(stream));
}

/** Returns the differences in the log, and in each of its prefixes. */
function differences(events: readonly LogEvent[]): readonly string[] {
  const ends = events.map((_, at) => reconcile(events.slice(0, at + 1)).differences);
  return [...new Set(ends.flat().map(differenceLine))];
}

describe("the books of an instance", () => {
  it("balance at every cut while domains and servers are renewed", async () => {
    const domain = await registerName(shop.owner, "renewed.com");
    const server = await shop.provision();
    expect(await shop.owner.post(`/domains/${String(domain)}/renew`, {})).toMatchObject({ status: 200 });
    expect(await shop.owner.post(`/servers/${String(server)}/renew`, {})).toMatchObject({ status: 200 });
    expect(differences(await log())).toEqual([]);
  });

  it("balance if a team of the operator charges customers, two of them under one name", async () => {
    const { credential } = await shop.instance.staff.teams.issueServiceCredential({
      name: "seminars",
      scopes: ["charges"],
    });
    const transport = createConnectTransport({ baseUrl: shop.instance.rpcUrl, httpVersion: "2" });
    const seminars = createClient(account.AccountService, transport);
    const headers = { authorization: `Bearer ${credential}` };
    for (const { accountId } of [shop.owner, shop.stranger])
      await seminars.chargeBalance(
        {
          accountId: BigInt(accountId),
          chargeId: "november",
          action: "purchase",
          lines: [{ description: "A seminar", quantity: 1, unitNetCents: 1_000n }],
        },
        { headers },
      );
    expect(differences(await log())).toEqual([]);
    const refund = { accountId: BigInt(shop.stranger.accountId), chargeId: "november", reason: "Ill" };
    await seminars.refundCharge(refund, { headers });
    expect(differences(await log())).toEqual([]);
  });
});
