import { afterAll, beforeAll, expect, it } from "vitest";

import { openShop, type Shop } from "../support/shop.ts";

/** The contract's rate limit: each key its own, the IETF draft's headers, 429 with `Retry-After`. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ environment: { HOSTLEDGER_RATE_LIMIT: "20" } });
});

afterAll(() => shop.close());

it("the API limits a key, answers when to try again, and does not limit other keys", async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => shop.owner.get("/billing/balance")));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(10);
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ status: false, code: "rate_limited" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  for (const { headers } of answers) {
    expect(headers.get("ratelimit-policy")).toMatch(/q=20;w=60/);
    expect(headers.get("ratelimit")).toMatch(/r=\d+;t=\d+/);
  }
  expect(await shop.stranger.get("/billing/balance")).toMatchObject({ status: 200 });
});

it("the API allows 600 requests a minute by default", async () => {
  const usual = await openShop({ environment: { HOSTLEDGER_RATE_LIMIT: "600" } });
  const answers = [];
  for (let turn = 0; turn < 6; turn += 1) {
    answers.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => usual.owner.get("/billing/balance")))),
    );
  }
  await usual.close();
  expect(answers.every(({ status }) => status === 200)).toBe(true);
});
