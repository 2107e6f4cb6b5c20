import type { EventStore } from "@hostledger/store";
import { expect, it } from "vitest";

import { auditBooks, hear, readEvents } from "./books.ts";
import { itemsOf, objectOf } from "./matchers.ts";
import { settled } from "./settled.ts";
import { openShop, registerName } from "./shop.ts";

/** The audit knows the events by their names only: here it meets those that a real instance writes. */
it("the books of an instance balance, after any purchases, refusals, refunds and credits", async () => {
  const stores: EventStore[] = [];
  const shop = await openShop({
    environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" },
    decorate: {
      store(store) {
        stores.push(store);
        return store;
      },
    },
  });
  const { owner, planId, regionId } = shop;
  const statuses: Record<string, number> = {};
  const buy = async (what: string, path: string, body: object): Promise<unknown> => {
    const answer = await owner.post(path, body);
    statuses[what] = answer.status;
    return answer.body;
  };
  const order = {
    plan_id: planId,
    region_id: regionId,
    distro_id: itemsOf((await owner.get("/distros")).body)[0]?.id,
  };
  const sshKey = (label: string): string =>
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@${label}`;

  const domain = await registerName(owner, "books.com");
  await buy("a name refused", "/domains", { domain: "refused-books.com" });
  await buy("a domain renewed", `/domains/${String(domain)}/renew`, { years: 2 });
  const server = Number(objectOf(await buy("a server", "/order", { ...order, duration: 2 })).server_id);
  await buy("a server whose answer is lost", "/order", { ...order, ssh_key: sshKey("lost") });
  await buy("a server refused", "/order", { ...order, ssh_key: sshKey("refused") });
  await buy("a server renewed", `/servers/${String(server)}/renew`, { duration: 6 });
  await shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(server), suspended: true });
  await buy("a suspended server renewed", `/servers/${String(server)}/renew`, { duration: 12 });
  await buy("a gift renewed", `/servers/${String(await shop.provision())}/renew`, { duration: 3 });
  expect(statuses).toEqual({
    "a name refused": 500,
    "a domain renewed": 200,
    "a server": 201,
    "a server whose answer is lost": 201,
    "a server refused": 500,
    "a server renewed": 200,
    "a suspended server renewed": 200,
    "a gift renewed": 200,
  });

  await settled(shop.instance.staff);
  const [store] = stores;
  if (store === undefined) throw new Error("the instance has opened no store");
  const evidence = { events: await readEvents(store), ...(await hear(shop.instance.staff, [owner])) };
  expect(auditBooks(evidence)).toEqual([]);
  await shop.close();
});
