import { expect, it } from "vitest";

import { openAccountService } from "../account-service.fixture.ts";

it("are shown to staff in the moment after the charge, in the account's list and by their number", async () => {
  const service = await openAccountService();
  try {
    const staff = service.staff();
    const { accountId } = await staff.openAccount({ name: "Ada" });
    await staff.topUpAccount({ accountId, amountCents: 10_000n, reference: "bank-1" });
    const domains = service.accounts({ kind: "service", name: "domain" });
    const charged = async (chargeId: string) => {
      const lines = [{ description: "Registration of example.com", quantity: 1, unitNetCents: 1_000n }];
      const order = { action: "purchase", pricesIncludeVat: true, duration: 1, domainId: 1n };
      return (await domains.chargeBalance({ accountId, chargeId, lines, ...order })).invoiceNumber;
    };
    const first = await charged("registration-1");
    const { invoices } = await staff.listAllInvoices({ accountId });
    expect(invoices.map(({ invoice }) => invoice?.number)).toContain(first);
    const second = await charged("registration-2");
    expect(await staff.showInvoice({ invoice: second })).toMatchObject({
      invoice: { invoice: { number: second } },
    });
  } finally {
    await service.close();
  }
});
