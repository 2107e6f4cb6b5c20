import { execFileSync } from "node:child_process";

import { afterAll, beforeAll, expect, it } from "vitest";

import { itemsOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** The PDFs of a customer's documents, read by another program, show the figures that the API answers. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

async function read(id: unknown): Promise<string> {
  const answer = await fetch(`${shop.instance.baseUrl}/billing/invoices/${String(id)}.pdf`, {
    headers: { authorization: shop.owner.apiKey },
  });
  const input = await answer.bytes();
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input, encoding: "utf8" });
  return text.replaceAll(/[^\S\n]+/g, " ");
}

const written = (amount: unknown): string => `${Number(amount).toFixed(2)} EUR`;

it("PDFs show number, net and gross of every document", async () => {
  await registerName(shop.owner, "printed.com");
  const server = await shop.provision();
  await shop.owner.post(`/servers/${String(server)}/renew`, { duration: 12 });
  await shop.owner.post("/domains", { domain: "refused-print.com" });
  const documents = itemsOf((await shop.owner.get("/billing/invoices")).body);
  expect(documents.map(({ action }) => action)).toEqual([
    "topup",
    "purchase",
    "renewal",
    "purchase",
    "refund",
  ]);
  for (const { id, number, action, netto, brutto } of documents) {
    const text = await read(id);
    expect(text).toContain(`Number ${String(number)}`);
    expect(text).toContain(`${action === "topup" ? "Received" : "Total"} ${written(brutto)}`);
    if (action !== "topup") expect(text).toContain(`Net ${written(netto)}`);
    // This instance has no seller settings.
    expect(text).toContain("The seller is a placeholder");
  }
});
