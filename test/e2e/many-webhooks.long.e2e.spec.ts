import { readFileSync } from "node:fs";

import { startStripeServer, type StripeServer } from "@hostledger/providers/testing";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import {
  eachIsCreditedOnce,
  openLatePayers,
  postUntilTaken,
  postWebhook,
  stripeEnvironment,
} from "../support/late-payers.ts";

/** Thousands of webhooks come to one instance at once. */

const payerCount = 30;
const webhooksOfEach = 100;
const megabyte = 1024 * 1024;

let files: ReturnType<typeof temporaryDirectory>;
let stripe: StripeServer;
let instance: InstanceProcess;
beforeAll(async () => {
  files = temporaryDirectory();
  stripe = await startStripeServer({ nowMs: () => Date.now() });
  instance = await startInstanceProcess(files.path, { environment: stripeEnvironment(stripe) });
});
afterAll(async () => {
  expect(await instance.stop()).toBe(0);
  await stripe.close();
  files.remove();
  expect(stripe.undocumented).toEqual([]);
});

/** The most memory that the instance has used, in bytes. */
function mostMemory(): number {
  const status = readFileSync(`/proc/${String(instance.child.pid)}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1_024;
}

it("3,000 webhooks at once are taken or refused with 503, and every payment is credited once", async () => {
  const payers = await openLatePayers(instance, stripe, payerCount);
  const sent = await Promise.all(
    payers.flatMap((payer) =>
      Array.from({ length: webhooksOfEach }, async () => ({
        payer,
        ...(await postWebhook(instance.baseUrl, payer.webhook())),
      })),
    ),
  );
  const counts = Map.groupBy(sent, ({ status }) => status);
  console.log([...counts].map(([status, all]) => `${String(status)}: ${String(all.length)}`).join(", "));
  expect([...counts.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  for (const { retryAfter } of counts.get(503) ?? []) expect(Number(retryAfter)).toBeGreaterThan(0);
  // Stripe repeats each webhook until it is taken.
  for (const payer of payers) await postUntilTaken(() => instance.baseUrl, payer);
  await eachIsCreditedOnce(payers);
});

it("500 bodies of 1 MiB at once use the memory of few", async () => {
  const body = "x".repeat(megabyte);
  const { signature } = stripe.sign("{}");
  const before = mostMemory();
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => postWebhook(instance.baseUrl, { body, signature })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  const grownMb = (mostMemory() - before) / megabyte;
  console.log(`500 webhooks of 1 MiB at once: ${grownMb.toFixed(0)} MiB more memory`);
  expect(grownMb).toBeLessThan(250);
});
