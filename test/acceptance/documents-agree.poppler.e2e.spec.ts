import { execFileSync } from "node:child_process";

import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { startMailServer } from "@hostledger/support-service/testing";
import { expect, it, onTestFinished } from "vitest";

import { itemsOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";

/** Each kind of document has one name: in the mail about it, in its PDF, and by the notice that webhooks get. */

const kinds = [
  ["an invoice", /^\d{4}-\d+-0/u, "Invoice", "Invoice (Rechnung)", "invoice.issued", ["pdf", "xml"]],
  ["a receipt", /-T\d+$/u, "Payment receipt", "Payment receipt (Zahlungsbeleg)", "invoice.issued", ["pdf"]],
  [
    "a correction",
    /-C0+1$/u,
    "Correction of an invoice",
    "Correction of an invoice (Rechnungskorrektur)",
    "invoice.corrected",
    ["pdf", "xml"],
  ],
  [
    "a cancellation",
    /-C0+2$/u,
    "Receipt cancellation",
    "Receipt cancellation (Zahlungsbeleg-Storno)",
    "invoice.corrected",
    ["pdf"],
  ],
] as const;

it("each document shows the same amounts in mail, PDF and notice", async () => {
  const server = await startMailServer();
  const shop = await openShop({
    environment: { HOSTLEDGER_SMTP_URL: server.url, HOSTLEDGER_MAIL_FROM: "hosting@example.com" },
  });
  onTestFinished(() => shop.close());
  const customer = await shop.customer(10_000n);
  const { accounts } = shop.instance.staff;
  await customer.put("/account", { email: "ada@example.org", country: "FR" });
  await registerName(customer, "agreeing.com");
  const payment = { accountId: BigInt(customer.accountId), reference: "agreeing" };
  await accounts.topUpAccount({ ...payment, amountCents: 1_000n });
  const documents = async () => itemsOf((await customer.get("/billing/invoices")).body);
  const invoice = (await documents()).find(({ action }) => action === "purchase");
  await accounts.refundCharge({
    chargeOrInvoice: String(invoice?.number),
    amountCents: 100n,
    reason: "Outage",
  });
  await accounts.reverseTopUp({ ...payment, reason: "Wrong account" });
  const issued = (await documents()).slice(-4);

  const mailOf = (number: string) => server.taken.find(({ mail }) => mail.subject?.endsWith(` ${number}`));
  await eventually(realTiming, () => {
    for (const { number } of issued) expect(mailOf(String(number))).toBeDefined();
  });
  const deliveries = itemsOf((await customer.get("/account/notices/deliveries")).body);
  for (const [, pattern, name, title, notice, formats] of kinds) {
    const document = issued.find(({ number }) => pattern.test(String(number)));
    const number = String(document?.number);
    const mail = mailOf(number)?.mail;
    expect(mail?.subject).toBe(`${name} ${number}`);
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual(
      formats.map((format) => `${number}.${format}`),
    );
    const input = mail?.attachments[0]?.content;
    const info = execFileSync("pdfinfo", ["-"], { input, encoding: "utf8" });
    expect(/^Title: +(.*)$/mu.exec(info)?.[1]).toBe(`${title} ${number}`);
    expect(execFileSync("pdftotext", ["-layout", "-", "-"], { input, encoding: "utf8" })).toContain(title);
    expect(deliveries.filter(({ event }) => event === notice)).toHaveLength(2);
  }
});
