import { createServer } from "node:http";

import { realTiming } from "@hostledger/runtime";
import { eventually, listening } from "@hostledger/runtime/testing";
import { startMailServer } from "@hostledger/support-service/testing";
import { expect, it, onTestFinished } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";

/** A notice that a customer has sent once more, under an `Idempotency-Key`. */

async function openNotifiedShop() {
  const mail = await startMailServer();
  let received = 0;
  const hooks = createServer((_request, response) => {
    received += 1;
    response.end();
  });
  const url = await listening(hooks);
  const shop = await openShop({
    environment: {
      HOSTLEDGER_SMTP_URL: mail.url,
      HOSTLEDGER_MAIL_FROM: "hosting@example.com",
      HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8",
    },
  });
  onTestFinished(() => shop.close());
  const { owner } = shop;
  const events = ["domain.registered"];
  await owner.put("/account/notices", { mail_kinds: events });
  // Others of the shop get mail at the same server.
  const address = "ada.of.notices@example.org";
  await owner.put("/account", { email: address });
  const webhook = String(objectOf((await owner.post("/webhooks", { url, events })).body).id);
  const mailed = {
    path: "/account/notices/deliveries",
    sent: () => mail.attempts.filter((to) => to === address).length,
  };
  return { owner, ways: [mailed, { path: `/webhooks/${webhook}/deliveries`, sent: () => received }] };
}

it("a notice is sent again once per idempotency key, however often the request is repeated", async () => {
  const { owner, ways } = await openNotifiedShop();
  for (const name of ["one.com", "two.com"]) await registerName(owner, name);
  for (const { path, sent } of ways) {
    /** All of them, once they are delivered and there is nothing on its way. */
    const delivered = () =>
      eventually(realTiming, async () => {
        const all = itemsOf((await owner.get(path)).body);
        expect(all.filter(({ event }) => event === "domain.registered")).toHaveLength(2);
        expect(all.map(({ status }) => status)).toEqual(all.map(() => "delivered"));
        return { again: all.map(({ id }) => `${path}/${String(id)}/resend`), sent: sent() };
      });
    const { again, sent: before } = await delivered();
    const idsOf = async (query: string) =>
      itemsOf((await owner.get(path + query)).body).map(({ id }) => Number(id));
    const ids = await idsOf("");
    expect(await idsOf("?order=desc")).toEqual(ids.toReversed());
    expect(await idsOf("?status=delivered&order=asc")).toEqual(ids);
    expect(await idsOf(`?status=delivered&after=${String(ids[0])}`)).toEqual(ids.slice(1));
    expect(await idsOf("?status=pending")).toEqual([]);
    expect(await idsOf("?to=2020-01-01")).toEqual([]);
    expect((await owner.get(`${path}?limit=1`)).headers.get("link")).toContain('rel="next"');
    const [first = "", second = ""] = again;
    const key = { "idempotency-key": path };
    const answer = await owner.post(first, {}, key);
    expect(answer.status).toBe(200);
    expect((await delivered()).sent).toBe(before + 1);
    const repeated = await owner.post(first, {}, key);
    expect([repeated.status, repeated.body]).toEqual([200, answer.body]);
    expect((await delivered()).sent).toBe(before + 1);
    expect(repeated.headers.get("idempotency-replayed")).toBe("true");
    const conflict = { status: 422, body: { code: "idempotency_conflict" } };
    expect(await owner.post(second, {}, key)).toMatchObject(conflict);
    expect(await owner.post(second, {}, { "idempotency-key": `${path}/2` })).toMatchObject({ status: 200 });
    expect((await delivered()).sent).toBe(before + 2);
  }
});
