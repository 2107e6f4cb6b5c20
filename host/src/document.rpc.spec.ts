import { createClient, createRouterTransport } from "@connectrpc/connect";
import { placeholderSeller } from "@hostledger/audit/documents";
import { account } from "@hostledger/protocol";
import { createInProcessTransport, rejectionError } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { staffForwarding } from "./staff-forwarding.ts";

const invoice = {
  id: 7n,
  number: "2026-7-000001",
  action: "purchase",
  netCents: 1_000n,
  vatCents: 190n,
  grossCents: 1_190n,
  vatRateBasisPoints: 1_900,
  createdAt: "2026-11-21T01:30:00.000123Z",
};
const line = { description: "A year", quantity: 1, unitCents: 1_000n, amountCents: 1_000n };
const document = { invoice, accountId: 7n, accountName: "Ada", cause: "registration-1", lines: [line] };
const receipt = { ...document, invoice: { ...invoice, number: "2026-7-T000001", action: "topup" } };
const seller = { ...placeholderSeller, name: "Beispiel GmbH", isPlaceholder: false };
const headers = { "hostledger-caller": "a token of the support service", authorization: "Bearer of nobody" };

/** A gateway that runs alone, before an account service that knows one document. */
function gatewayBefore(found: object) {
  const asked: (string | bigint | null)[] = [];
  const service = createRouterTransport((router) => {
    router.service(account.AccountService, {
      getInvoice({ invoiceId }, { requestHeader }) {
        asked.push(invoiceId, requestHeader.get("hostledger-caller"), requestHeader.get("authorization"));
        if (requestHeader.get("hostledger-caller") === null)
          throw rejectionError({ code: "unauthenticated", message: "Who are you?" });
        return found;
      },
    });
  });
  const transports = { account: service, domain: service, server: service, support: service };
  const listener = createInProcessTransport(staffForwarding(transports, seller));
  return { asked, documents: createClient(account.DocumentService, listener) };
}

describe("getDocumentFiles", () => {
  it("asks under the calling part's token, and answers PDF and electronic invoice of the seller", async () => {
    const { asked, documents } = gatewayBefore(document);
    const { files } = await documents.getDocumentFiles({ invoiceId: 7n }, { headers });
    expect(files).toMatchObject([
      { name: "2026-7-000001.pdf", mediaType: "application/pdf" },
      { name: "2026-7-000001.xml", mediaType: "application/xml" },
    ]);
    const [pdf, xml] = files.map(({ content }) => Buffer.from(content).toString("utf8"));
    expect(pdf?.slice(0, 5)).toBe("%PDF-");
    expect(xml).toContain("<ram:Name>Beispiel GmbH</ram:Name>");
    expect(asked).toEqual([7n, "a token of the support service", null]);
  });

  it("answers the PDF alone of a receipt", async () => {
    const { documents } = gatewayBefore(receipt);
    const { files } = await documents.getDocumentFiles({ invoiceId: 7n }, { headers });
    expect(files.map(({ name }) => name)).toEqual(["2026-7-T000001.pdf"]);
  });

  it("answers what the account service says to whoever shows nothing", async () => {
    const { documents } = gatewayBefore(document);
    const refusal = await refusalOf(documents.getDocumentFiles({ invoiceId: 7n }));
    expect(refusal).toMatchObject({ code: "unauthenticated" });
  });

  it("lets as many wait as are sent at once", async () => {
    const { documents } = gatewayBefore(document);
    const asked = Array.from({ length: 24 }, () =>
      documents.getDocumentFiles({ invoiceId: 7n }, { headers }),
    );
    expect((await Promise.all(asked)).map(({ files }) => files.length)).toEqual(Array(24).fill(2));
  });
});
