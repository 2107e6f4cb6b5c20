import { noticeKinds, type NoticeKind } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { languageOf, mailText } from "./mail-texts.ts";

const data = {
  domain_name: "mine.com",
  expiry_date: "2026-03-08T10:00:00.000000Z",
  terminates_at: "2026-03-22T10:00:00.000000Z",
  server_id: 4711,
  ip_address: "192.0.2.7",
  reason: "insufficient-balance",
  number: "HL-2026-1",
  brutto: 11.9,
  corrects_number: "HL-2026-0",
  balance: 19.99,
  balance_before: 20,
  debt_since: "2026-03-01T10:00:00.000000Z",
  ticket_id: 12,
  topup_id: 31,
  paid: 50,
  failure: "declined",
  prefix: "hl_abc",
};

/** Data that a mail about each kind of resource must contain. */
const named: Readonly<Record<string, string>> = {
  domain: "mine.com",
  server: "4711",
  invoice: "HL-2026-1",
  balance: "19",
  ticket: "12",
  topup: "31",
  key: "hl_abc",
};
const resourceOf = (kind: NoticeKind): string => named[kind.slice(0, kind.indexOf("."))] ?? "none";
const both = (kind: NoticeKind) => [mailText(kind, data, "de"), mailText(kind, data, "en")] as const;

describe("the mail about a notice", () => {
  it.each(noticeKinds)(
    "has a subject and two parts that name the resource, in both languages: %s",
    (kind) => {
      const [german, english] = both(kind);
      for (const { subject, text, html } of [german, english]) {
        expect(subject).toMatch(/^[^\n{}]{5,100}$/);
        expect(text).toContain(resourceOf(kind));
        expect(html).toContain(resourceOf(kind));
        expect(text + html).not.toMatch(/[{}]|undefined|–/);
      }
      expect(german.text).not.toBe(english.text);
      expect([german.html, english.html]).toEqual([
        expect.stringContaining('lang="de"'),
        expect.stringContaining('lang="en"'),
      ]);
    },
  );

  it("has dates, amounts and reasons as the language writes them", () => {
    expect(both("domain.renewal_failed").map(({ text }) => text)).toEqual([
      "Die Domain mine.com konnte nicht automatisch verlängert werden: das Guthaben reicht nicht aus. Sie läuft am 8. März 2026 ab.\n",
      "The domain mine.com could not be renewed automatically: the balance is too low. It expires on 8 March 2026.\n",
    ]);
    expect(both("invoice.issued").map(({ text }) => /11.90?\s?€|€11.90/u.test(text))).toEqual([true, true]);
  });

  it.each([
    ["invoice.issued", { action: "purchase" }, "Invoice HL-2026-1", "Rechnung HL-2026-1"],
    ["invoice.issued", { action: "renewal" }, "Invoice HL-2026-1", "Rechnung HL-2026-1"],
    ["invoice.issued", { action: "topup" }, "Payment receipt HL-2026-1", "Zahlungsbeleg HL-2026-1"],
    [
      "invoice.corrected",
      { cancels_receipt: false },
      "Correction of an invoice HL-2026-1",
      "Rechnungskorrektur HL-2026-1",
    ],
    [
      "invoice.corrected",
      { cancels_receipt: true },
      "Receipt cancellation HL-2026-1",
      "Zahlungsbeleg-Storno HL-2026-1",
    ],
  ] as const)("calls the document of %s with %j by its own name", (kind, more, english, german) => {
    const mails = (["en", "de"] as const).map((language) => mailText(kind, { ...data, ...more }, language));
    expect(mails.map(({ subject }) => subject)).toEqual([english, german]);
    const isReceipt = english.startsWith("Payment") || english.startsWith("Receipt");
    if (isReceipt) for (const { text } of mails) expect(text).not.toMatch(/invoice|Rechnung/iu);
  });

  it("gives the reason of a server's hold", () => {
    const held = { server_id: 4711, reason: "staff", held: true, hold_reason: "Sends <unwanted> mail" };
    for (const language of ["de", "en"] as const) {
      const { text, html } = mailText("server.suspended", held, language);
      expect(text).toContain(": Sends <unwanted> mail. ");
      expect(html).toContain(": Sends &lt;unwanted&gt; mail. ");
    }
    const { text } = mailText("server.suspended", { ...held, held: true, hold_reason: null }, "en");
    expect(text).toBe("Server 4711 was suspended and does not run any more.\n");
  });

  it("has nothing in its HTML that a name brought", () => {
    const { html } = mailText("domain.expired", { domain_name: '<img src="x">&' }, "en");
    expect(html).toContain("&lt;img src=&quot;x&quot;&gt;&amp;");
    expect(html).not.toContain("<img");
  });

  it("is in German for German-speaking countries, otherwise in English", () => {
    expect(["DE", "AT", "CH", "LI", "FR", "", "[not available]"].map(languageOf)).toEqual(
      "de de de de en en en".split(" "),
    );
  });
});
