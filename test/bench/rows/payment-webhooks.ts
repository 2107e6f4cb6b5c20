import { join } from "node:path";

import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";

import { lateCents, openLatePayers, stripeEnvironment } from "../../support/late-payers.ts";
import { duel, type Contender } from "../harness/alternate.ts";
import { line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { HttpConnection } from "../load/http-connection.ts";
import { clients, rateOf, untilCredited } from "../peers/credited.ts";
import { startProduct, type Product } from "../peers/product.ts";

/** Payments that webhooks have credited, webhooks that are received, and samples of these. */
interface Size {
  readonly payers: number;
  readonly received: number;
  readonly rounds: number;
}
const whole: Size = { payers: 200, received: 5_000, rounds: 7 };
const quick: Size = { payers: 5, received: 50, rounds: 1 };

/**
 * Signed webhooks of Stripe over HTTP. Until credited: from the first webhook until the last payment is on its account; the money came
 * after the payments had failed, so nothing but the webhooks has them credited. Received: webhooks about a payment that is credited.
 * @param bare inserts so many rows into SQLite, one a COMMIT
 */
export async function measureWebhooks(
  settings: Settings,
  bare: (rows: number) => Contender,
): Promise<RowResult> {
  const size = settings.quick ? quick : whole;
  const stripe = await startStripeServer({ nowMs: () => Date.now() });
  try {
    const directory = join(settings.directory, "webhooks");
    await using product = await startProduct(directory, "", stripeEnvironment(stripe));
    const credits = await duel(crediting(product, stripe, size), bare(size.payers), 1);
    const receipts = await duel(await receiving(product, stripe, size), bare(size.received), size.rounds);
    const name = "node:sqlite, 1 a COMMIT";
    return {
      lines: [
        line("webhooks until credited, payments/s", credits.ours, { name, samples: credits.baseline }),
        line("webhooks received, webhooks/s", receipts.ours, { name, samples: receipts.baseline }),
      ],
      notes: [
        "Each webhook is signed and comes over HTTP, 16 at a time. Before a credit, Stripe is asked: a server on the same machine stands for " +
          "Stripe, and checks each question and answer against Stripe's document.",
      ],
    };
  } finally {
    await stripe.close();
  }
}

function crediting(product: Product, stripe: StripeServer, { payers: count }: Size): Contender {
  return {
    name: "webhooks until credited",
    async sample() {
      const payers = await openLatePayers(product, stripe, count);
      const requests = payers.map((payer) => requestOf(product, payer.webhook()));
      const beganAt = performance.now();
      await sendAll(product, requests);
      const accounts = payers.map(({ customer }) => customer);
      await untilCredited(product, accounts, BigInt(count * lateCents));
      return rateOf(count, beganAt);
    },
  };
}

async function receiving(product: Product, stripe: StripeServer, { received }: Size): Promise<Contender> {
  const [payer] = await openLatePayers(product, stripe, 1);
  if (payer === undefined) throw new Error("nobody pays");
  await sendAll(product, [requestOf(product, payer.webhook())]);
  await untilCredited(product, [payer.customer], BigInt(lateCents));
  return {
    name: "webhooks received",
    async sample() {
      const requests = Array.from({ length: received }, () => requestOf(product, payer.webhook()));
      const beganAt = performance.now();
      await sendAll(product, requests);
      return rateOf(received, beganAt);
    },
  };
}

function requestOf({ port }: Product, { body, signature }: SignedEvent): string {
  const head = [
    "POST /payments/stripe HTTP/1.1",
    `Host: 127.0.0.1:${String(port)}`,
    "Content-Type: application/json",
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `Stripe-Signature: ${signature}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Sends requests over a few connections. @throws Error if an answer is not 200 */
async function sendAll({ port }: Product, requests: readonly string[]): Promise<void> {
  const left = requests.values();
  await Promise.all(
    Array.from({ length: Math.min(clients, requests.length) }, async () => {
      const connection = new HttpConnection(port);
      try {
        for (const request of left) {
          const status = await connection.send(request);
          if (status !== 200) throw new Error(`a webhook was answered with ${String(status)}`);
        }
      } finally {
        connection.close();
      }
    }),
  );
}
