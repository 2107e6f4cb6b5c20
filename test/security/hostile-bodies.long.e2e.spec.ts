import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startBystanders } from "../support/bystanders.ts";
import { startInstanceProcess } from "../support/instance-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

/** Sends ten thousand malformed bodies while other customers continue; their latencies are printed and never judged. */

const seed = 13;
const senders = 20;
const bodiesOfEach = 500;

const paths = [
  "/domains",
  "/tickets",
  "/order",
  "/domains/999999/renew",
  "/domains/999999/dns",
  "/servers/999999/renew",
  "/servers/999999/firewall",
  "/tickets/999999/reply",
] as const;

const pieces = [
  ...(["{", "}", "[", "]", ":", ",", "null", "true", "1e999", "-0", "\\u0000", "\\ud800"] as const),
  ...([
    '{"domain":"',
    '{"title":"',
    '"}',
    '"__proto__":{"a":1}',
    '"constructor"',
    "\u0000",
    "\u202e",
  ] as const),
  "x".repeat(300),
  "9".repeat(400),
  "[".repeat(200),
] as const;

it("are each refused in the common shape, and do not affect other customers", async () => {
  const random = seededRandom(seed);
  const hostileBody = (): string =>
    Array.from({ length: 1 + Math.floor(random.next() * 8) }, () => random.pick(pieces)).join("");
  const directory = temporaryDirectory();
  const instance = await startInstanceProcess(directory.path);
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  const bystanders = startBystanders(instance);
  await bystanders.during("nothing", () => realTiming.sleep(3_000));

  const statuses = new Map<number, number>();
  const send = async (): Promise<void> => {
    const response = await fetch(`${instance.baseUrl}${random.pick(paths)}`, {
      method: "POST",
      headers: { authorization: customer.apiKey, "content-type": "application/json" },
      body: hostileBody(),
    });
    expect(await response.json()).toMatchObject({ status: false });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  };
  await bystanders.during("hostile bodies", async () => {
    await Promise.all(
      Array.from({ length: senders }, async () => {
        for (let sent = 0; sent < bodiesOfEach; sent += 1) await send();
      }),
    );
  });
  await bystanders.stop();
  console.log("answers by status:", Object.fromEntries(statuses), `\n${bystanders.table()}`);
  expect(bystanders.complaints()).toEqual([]);
  for (const status of statuses.keys()) expect([400, 404, 413, 422]).toContain(status);
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "100.00" });
  expect((await customer.get("/tickets")).body).toEqual([]);
  expect(await instance.stop()).toBe(0);
  directory.remove();
});
