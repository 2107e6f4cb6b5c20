import { realTiming } from "@hostledger/runtime";
import type { EventStore } from "@hostledger/store";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** Companies in other member states pay no VAT once the register of VAT ids knows theirs. The register is the sandbox's. */

let shop: Shop;
let store: EventStore;

beforeAll(async () => {
  shop = await openShop({
    decorate: { store: (opened) => (store = opened) },
    environment: {
      HOSTLEDGER_TAX: "eu",
      HOSTLEDGER_SELLER_NAME: "Beispiel GmbH",
      HOSTLEDGER_SELLER_STREET: "Beispielweg 1",
      HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
      HOSTLEDGER_SELLER_CITY: "Berlin",
      HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "100",
    },
  });
});
afterAll(() => shop.close());

const dutch = {
  kind: "organisation",
  name: "Jan Jansen",
  street: "Keizersgracht 1",
  postal_code: "1015 CN",
  city: "Amsterdam",
  country: "NL",
  vat_id: "NL004495445B01",
};

/** Opens an account of a company with its own VAT id, because answers are cached by VAT id. */
async function company(organisation: string, vatId = dutch.vat_id): Promise<Customer> {
  const customer = await shop.customer(100_000n);
  const country = vatId.slice(0, 2);
  const { status } = await customer.put("/account", { ...dutch, organisation, country, vat_id: vatId });
  expect(status).toBe(200);
  return customer;
}

/** Buys a domain, and returns the VAT of its invoice. */
async function vatOf(customer: Customer, domain: string): Promise<unknown> {
  await registerName(customer, domain);
  const documents = itemsOf((await customer.get("/billing/invoices")).body);
  const { id } = objectOf(documents.findLast(({ action }) => action === "purchase"));
  return objectOf((await customer.get(`/billing/invoices/${String(id)}`)).body).vat_rate;
}

/** Waits for an answer about a customer's VAT id. */
function outcomeOf({ accountId }: Customer): Promise<string> {
  return eventually(realTiming, async () => {
    for await (const { type, data } of store.read(`account-${String(accountId)}`))
      if (type.startsWith("VatIdChecked.")) return String(objectOf(JSON.parse(data)).outcome);
    throw new Error(`nobody asked about the VAT id of account ${String(accountId)}`);
  });
}

describe("a company in another member state", () => {
  it("pays no VAT after the register confirmed its VAT id", async () => {
    const customer = await company("Hosting BV");
    expect(await outcomeOf(customer)).toBe("valid");
    expect(await vatOf(customer, "reverse.com")).toBe(0);
  });

  it.each([
    ["Refused SA", "FR40303265045", "invalid"],
    ["Offline GmbH", "ATU13585627", "unanswered"],
    ["Timeout AB", "SE556188840401", "unanswered"],
  ])("%s with %s pays the seller's VAT while the answer is %s", async (organisation, vatId, outcome) => {
    const customer = await company(organisation, vatId);
    expect(await outcomeOf(customer)).toBe(outcome);
    expect(await vatOf(customer, `${organisation.slice(0, 4).toLowerCase()}-company.com`)).toBe(19);
  });

  it("is refused a VAT id of another country or with a wrong check digit", async () => {
    const customer = await company("Hosting BV");
    for (const [vatId, sentence] of [
      ["DE123456788", /must begin with NL/],
      ["NL004495446B01", /check digit/],
    ] as const) {
      const { status, body } = await customer.put("/account", { vat_id: vatId });
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toMatch(sentence);
    }
  });
});
