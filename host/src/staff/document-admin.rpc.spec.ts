import { createClient, createRouterTransport } from "@connectrpc/connect";
import { placeholderSeller } from "@hostledger/audit/documents";
import { admin } from "@hostledger/protocol";
import { createInProcessTransport, rejectionError } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { staffForwarding } from "../staff-forwarding.ts";

const issued = "2026-11-21T01:30:00.000123Z";
const invoice = {
  id: 7n,
  number: "2026-7-000001",
  action: "purchase",
  netCents: 1_000n,
  vatCents: 190n,
  grossCents: 1_190n,
  vatRateBasisPoints: 1_900,
  createdAt: issued,
};
const line = { description: "A year", quantity: 1, unitCents: 1_000n, amountCents: 1_000n };
const document = { invoice, accountId: 7n, accountName: "Ada", cause: "registration-1", lines: [line] };
const receipt = { ...document, invoice: { ...invoice, number: "2026-7-T000001", action: "topup" } };
const seller = { ...placeholderSeller, name: "Beispiel GmbH", isPlaceholder: false };
const headers = { authorization: "Bearer staff-token" };

/** A gateway that runs alone, before an account service that knows one document. */
function gatewayBefore(found: object) {
  const asked: (string | null)[] = [];
  const account = createRouterTransport(({ service }) => {
    service(admin.AccountAdminService, {
      showInvoice: (request, { requestHeader }) => {
        asked.push(request.invoice, requestHeader.get("authorization"));
        if (requestHeader.get("authorization") === null)
          throw rejectionError({ code: "unauthenticated", message: "Who are you?" });
        return { document: found };
      },
    });
  });
  const transports = { account, domain: account, server: account, support: account };
  const listener = createInProcessTransport(staffForwarding(transports, seller));
  return { asked, documents: createClient(admin.DocumentAdminService, listener) };
}

describe("fetchInvoice", () => {
  it("asks under the caller's credential, and names the seller", async () => {
    const { asked, documents } = gatewayBefore(document);
    const request = { invoice: "2026-7-000001", format: "xml" };
    const file = await documents.fetchInvoice(request, { headers });
    expect(file).toMatchObject({ fileName: "2026-7-000001.xml", mediaType: "application/xml" });
    const xml = Buffer.from(file.content).toString("utf8");
    expect(xml).toContain("<ram:Name>Beispiel GmbH</ram:Name>");
    expect(xml).toContain("<ram:Name>Ada</ram:Name>");
    expect(asked).toEqual(["2026-7-000001", "Bearer staff-token"]);
  });

  it("makes a PDF of a receipt, and no electronic invoice", async () => {
    const { documents } = gatewayBefore(receipt);
    const { content } = await documents.fetchInvoice({ invoice: "7", format: "pdf" }, { headers });
    expect(Buffer.from(content).subarray(0, 5).toString("latin1")).toBe("%PDF-");
    const refusal = await refusalOf(documents.fetchInvoice({ invoice: "7", format: "xml" }, { headers }));
    expect(refusal).toMatchObject({ code: "not-found", message: expect.stringContaining("read its PDF") });
  });

  it.each(["", "PDF", "html"])("refuses the format %j, and asks nobody", async (format) => {
    const { asked, documents } = gatewayBefore(document);
    const refusal = await refusalOf(documents.fetchInvoice({ invoice: "7", format }, { headers }));
    expect(refusal).toMatchObject({ code: "validation-failed" });
    expect(asked).toEqual([]);
  });

  it("answers what the account service says to whoever shows nothing", async () => {
    const { documents } = gatewayBefore(document);
    const call = documents.fetchInvoice({ invoice: "7", format: "pdf" });
    expect(await refusalOf(call)).toMatchObject({ code: "unauthenticated" });
  });

  it("makes one PDF at a time, and lets seven wait", async () => {
    const { documents } = gatewayBefore(document);
    const fetched = Array.from({ length: 12 }, () =>
      documents.fetchInvoice({ invoice: "7", format: "pdf" }, { headers }).then(
        () => "made",
        (error: unknown) => error,
      ),
    );
    const outcomes = await Promise.all(fetched);
    expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(8);
  });
});
