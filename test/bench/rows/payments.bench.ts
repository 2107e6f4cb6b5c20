import { join } from "node:path";
import { randomUUID } from "node:crypto";

import { accountReference } from "@hostledger/core";
import { camtFile, ownIban } from "@hostledger/providers/testing";
import { openEmbeddedEventStore } from "@hostledger/store";

import { limited } from "../../support/limited.ts";
import { customerAt, openCustomer, type Customer } from "../../support/staff-client.ts";
import { duel, type Contender } from "../harness/alternate.ts";
import { line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { smallEvent, storeEdge } from "../peers/accounts.ts";
import { openCommitLoop, type CommitLoop } from "../peers/commit-loop.ts";
import { balanceOfAll, clients, rateOf, untilCredited } from "../peers/credited.ts";
import { startProduct, type Product } from "../peers/product.ts";
import { measureWebhooks } from "./payment-webhooks.ts";

/** Sizes: payments in a file, files in a run, credited payments, and paying customers. A file has at most 10,000. */
interface Size {
  readonly payments: number;
  readonly rounds: number;
  readonly credits: number;
  readonly customers: number;
}
const whole: Size = { payments: 10_000, rounds: 9, credits: 1_000, customers: 100 };
const quick: Size = { payments: 100, rounds: 1, credits: 20, customers: 10 };

/** Entries that one append of an import books. */
const entriesOfAppend = 100;

/**
 * (s) Money in: imports of bank files whose payments wait for staff, ten files of 10,000 payments each; payments by
 * bank transfer with account references; payments by card through the simulated provider, from the first request
 * until the last credit; and webhooks of Stripe, until their payments are credited, and until they are received. The
 * baseline is bare inserts into SQLite.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const size = settings.quick ? quick : whole;
  const baselinePath = join(settings.directory, "payments-baseline.sqlite");
  await (await openEmbeddedEventStore({ path: baselinePath, ...storeEdge })).close();
  const loop = openCommitLoop(baselinePath, entriesOfAppend);
  const environment = { HOSTLEDGER_BANK_IBAN: ownIban, HOSTLEDGER_PAYMENTS: "sandbox" };
  try {
    await using product = await startProduct(join(settings.directory, "product"), "", environment);
    const customers: Customer[] = [];
    for (let count = 0; count < size.customers; count += 1)
      customers.push(await openCustomer(product.staff, product.baseUrl));
    const many = `node:sqlite, ${String(entriesOfAppend)} a COMMIT`;
    const imports = await duel(
      importing(product, size),
      bare(loop, entriesOfAppend, size.payments),
      size.rounds,
    );
    const single = bare(loop, 1, size.credits);
    const transfers = await duel(crediting(product, customers, size), single, 1);
    const cards = await duel(paying(product, customers, size), single, 1);
    await product.stop();
    const webhooks = await measureWebhooks(settings, (rows) => bare(loop, 1, rows));
    return {
      lines: [
        line("bank files, entries/s", imports.ours, { name: many, samples: imports.baseline }),
        line("transfers until credited, payments/s", transfers.ours, {
          name: "node:sqlite, 1 a COMMIT",
          samples: transfers.baseline,
        }),
        line("cards until credited, payments/s", cards.ours, {
          name: "node:sqlite, 1 a COMMIT",
          samples: cards.baseline,
        }),
        ...webhooks.lines,
      ],
      notes: [
        `${String((size.rounds + 1) * size.payments)} entries were imported, ${String(size.payments)} a file.`,
        "The simulated customer pays after a second, and the provider is asked after two. Receipts are archived meanwhile.",
        ...webhooks.notes,
      ],
    };
  } finally {
    loop.close();
  }
}

let files = 0;

/** Creates a file of new payments, each with a text. */
function fileOf(payments: number, textOf: (index: number) => string): Uint8Array {
  files += 1;
  const prefix = `B${String(files)}`;
  return new TextEncoder().encode(
    camtFile({
      id: prefix,
      payments: Array.from({ length: payments }, (_, index) => ({
        amount: "11.90",
        ref: `${prefix}-${String(index)}`,
        name: "Ada Lovelace",
        text: textOf(index),
      })),
    }),
  );
}

function importing({ staff }: Product, { payments }: Size): Contender {
  return {
    name: "import",
    async sample() {
      const file = fileOf(payments, (index) => `hosting ${String(index)}`);
      const beganAt = performance.now();
      await staff.bank.importStatements({ file });
      return rateOf(payments, beganAt);
    },
  };
}

function crediting(product: Product, customers: readonly Customer[], { credits }: Size): Contender {
  return {
    name: "transfers",
    async sample() {
      const named = (index: number) => accountReference(customers[index % customers.length]?.accountId ?? 0);
      const file = fileOf(credits, named);
      const wanted = (await balanceOfAll(product, customers)) + BigInt(credits) * 1_190n;
      const beganAt = performance.now();
      await product.staff.bank.importStatements({ file });
      await untilCredited(product, customers, wanted);
      return rateOf(credits, beganAt);
    },
  };
}

function paying(product: Product, customers: readonly Customer[], { credits }: Size): Contender {
  return {
    name: "cards",
    async sample() {
      const wanted = (await balanceOfAll(product, customers)) + BigInt(credits) * 1_000n;
      const inTurn = limited(clients);
      const beganAt = performance.now();
      await Promise.all(
        Array.from({ length: credits }, (_, index) =>
          inTurn(async () => {
            const customer = customers[index % customers.length];
            if (customer === undefined) throw new Error("nobody pays");
            const { status } = await customerAt(product.baseUrl, customer).post("/billing/topups", {
              amount: 10,
              method: "card",
            });
            if (status !== 201) throw new Error(`a payment was answered with ${String(status)}`);
          }),
        ),
      );
      await untilCredited(product, customers, wanted);
      return rateOf(credits, beganAt);
    },
  };
}

/** The least that a durable store on SQLite must do: one row for each entry, and so many a COMMIT. */
function bare(loop: CommitLoop, width: number, entries: number): Contender {
  const row = { id: randomUUID(), time: storeEdge.now(), ...smallEvent };
  return {
    name: "node:sqlite",
    sample() {
      const beganAt = performance.now();
      for (let count = 0; count < entries; count += width) loop.commit(width, row);
      return Promise.resolve(rateOf(entries, beganAt));
    },
  };
}
