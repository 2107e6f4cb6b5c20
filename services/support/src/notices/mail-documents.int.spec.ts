import { rejection } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { rejectionError } from "@hostledger/rpc";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { accountOpened, openHarness, profileChanged, type Harness } from "../support-service.fixture.ts";
import { mailThrough, type TestDocuments } from "./mail-options.fixture.ts";
import { startMailServer, type MailServer } from "./mail-server.fixture.ts";

const owner = 7;
const from = "hosting@example.com";
const pdf = { name: "2026-7-000001.pdf", mediaType: "application/pdf", content: Buffer.from("%PDF-1.7") };
const xml = { name: "2026-7-000001.xml", mediaType: "application/xml", content: Buffer.from("<xml/>") };

let harness: Harness;
let server: MailServer;

beforeEach(async () => {
  [harness, server] = await Promise.all([openHarness(), startMailServer()]);
});

/** An account that is written to, with documents of the spec. */
async function writtenTo(documents: TestDocuments): Promise<void> {
  await harness.start(undefined, { mail: mailThrough({ url: server.url, from }, documents) });
  await harness.record("account-7", accountOpened(owner, "Ada"), profileChanged(owner, 1, "ada@example.org"));
}

function issueInvoice(invoiceId: number): Promise<void> {
  const number = `2026-7-${String(invoiceId).padStart(6, "0")}`;
  const data = { ...accountExamples.invoiceData, invoiceId, number };
  return harness.record("account-7", { type: "InvoiceIssued", data });
}

const attached = () =>
  server.taken.map(({ mail }) => [mail.subject, ...mail.attachments.map(({ filename }) => filename)]);

/** Waits until this was taken, while pauses between attempts pass, which are six hours at most. */
const untilAttached = (...mails: readonly (readonly string[])[]) =>
  eventually(harness.clock, () => {
    harness.clock.advance(6 * 3_600_000);
    expect(attached()).toEqual(mails);
  });

describe("the mail about an invoice", () => {
  it("has its files, requested in the service's name", async () => {
    const asked: (bigint | string | null)[] = [];
    await writtenTo(({ invoiceId }, { requestHeader }) => {
      asked.push(invoiceId, requestHeader.get("hostledger-caller"));
      return { files: [pdf, xml] };
    });
    await issueInvoice(1);
    await untilAttached(["Invoice 2026-7-000001", pdf.name, xml.name]);
    expect(server.taken[0]?.mail.attachments).toMatchObject(
      [pdf, xml].map(({ mediaType, content }) => ({ contentType: mediaType, content })),
    );
    expect(asked).toEqual([1n, "service:support"]);
  });

  it("waits for documents that cannot be had now, and is sent once with them", async () => {
    let asked = 0;
    await writtenTo(() => {
      asked += 1;
      if (asked < 3) throw rejectionError(rejection("overloaded", "Not now."));
      return { files: [pdf] };
    });
    await issueInvoice(1);
    await untilAttached(["Invoice 2026-7-000001", pdf.name]);
    expect([asked, server.attempts.length]).toEqual([3, 1]);
  });

  it("is not sent without the documents, however long they cannot be had, and others are", async () => {
    await writtenTo(({ invoiceId }) => {
      if (invoiceId === 1n) throw rejectionError(rejection("not-found", "It is not there."));
      return { files: [pdf] };
    });
    await issueInvoice(1);
    await issueInvoice(2);
    await untilAttached(["Invoice 2026-7-000002", pdf.name]);
  });

  it("is not sent if they are too large, and not retried", async () => {
    const asked: bigint[] = [];
    await writtenTo(({ invoiceId }) => {
      asked.push(invoiceId);
      return { files: [invoiceId === 1n ? { ...pdf, content: Buffer.alloc(7_000_001) } : pdf] };
    });
    await issueInvoice(1);
    await issueInvoice(2);
    await untilAttached(["Invoice 2026-7-000002", pdf.name]);
    expect(asked).toEqual([1n, 2n]);
  });
});
