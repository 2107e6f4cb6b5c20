import type { CallOptions } from "@connectrpc/connect";
import { eInvoiceType, pdfType } from "@hostledger/audit/documents";
import { account as messages } from "@hostledger/protocol";
import { meaningOf } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { listed, listQuery } from "../../http/listing.ts";
import { operation, type Caller, type OperationServices } from "../../http/operation.ts";
import { RefusalError } from "../../http/refusal.ts";
import { domainFilter, euroAmount, id, resourceId, timestamp } from "../../http/values.schema.ts";
import { euros, euroText, present, view } from "../../http/view.codec.ts";

/** The balance is a decimal string, so that clients do not parse it as a binary float. */
const balance = z
  .object({
    balance: z
      .string()
      .regex(/^-?\d+\.\d{2}$/)
      .meta({
        description: "Euros with two decimals; negative only if the provider allows a debt.",
        examples: ["12.34"],
      }),
  })
  .meta({ id: "Balance", description: "The account's balance." });

/** An invoice, a top-up receipt or a correction. */
const invoice = z
  .object({
    id,
    number: z
      .string()
      .meta({ description: "Number, gapless within its series.", examples: ["2026-7-000042"] }),
    action: z.string().meta({ enum: ["purchase", "renewal", "topup", "refund"] }),
    gateway: z.string().meta({ description: "Payment method.", examples: ["balance"] }),
    netto: euroAmount.meta({ examples: [10] }),
    brutto: euroAmount,
    duration: z
      .int()
      .nonnegative()
      .meta({ description: "Years of a domain or months of a server; 0 for anything else." }),
    paid: z.boolean().meta({ description: "False only for the receipt of a payment that was reversed." }),
    delivered: z.boolean().meta({ description: "True if the order was delivered." }),
    server_id: id.nullable().meta({ examples: [null] }),
    domain_id: id.nullable(),
    plan_id: id.nullable().meta({ examples: [null] }),
    created_at: timestamp,
  })
  .meta({ id: "Invoice", description: "An invoice, a top-up receipt or a correction." });

const invoiceLine = z
  .object({
    description: z.string().meta({ examples: ["Registration of example.com, per year"] }),
    quantity: z.int().positive(),
    unit_price: euroAmount.meta({ examples: [10] }),
    amount: euroAmount.meta({ examples: [10] }),
  })
  .meta({
    id: "InvoiceLine",
    description: "A line of an invoice; `prices_include_vat` says whether it is gross.",
  });

const invoiceDetail = invoice
  .extend({
    vat: euroAmount.meta({ examples: [1.9] }),
    vat_rate: z
      .number()
      .nonnegative()
      .meta({ description: "VAT rate in per cent; 0 if exempt.", examples: [19] }),
    prices_include_vat: z
      .boolean()
      .meta({ description: "True if the lines are gross, false if they are net.", examples: [false] }),
    lines: z
      .array(invoiceLine)
      .meta({ description: "Lines; empty on a correction, which corrects a whole invoice." }),
    payment_reference: z
      .string()
      .nullable()
      .meta({
        description: "Reference of the payment, on a receipt and its cancellation.",
        examples: [null],
      }),
    corrects_invoice_id: id.nullable().meta({ examples: [null] }),
    corrects_number: z
      .string()
      .nullable()
      .meta({
        description: "Number of the corrected invoice or cancelled receipt.",
        examples: [null],
      }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Reason of a correction or cancellation.", examples: [null] }),
  })
  .meta({ id: "InvoiceDetail", description: "A document with its lines, as issued." });

const invoicePath = z.object({ invoice: resourceId });

const pdfFile = z
  .string()
  .meta({ format: "binary", description: "The document as a PDF.", examples: ["%PDF-1.7 …"] });

const xmlFile = z.string().meta({
  description: "The invoice or correction as XML per EN 16931, in the syntax UN/CEFACT CII.",
  examples: ['<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice>…</rsm:CrossIndustryInvoice>'],
});

const base64 = z.string().meta({ format: "byte" });

const documentProof = z
  .object({
    format: z.literal("hostledger-document-proof"),
    version: z.literal(1),
    salt: z.string().meta({
      description:
        "32 bytes in hexadecimal digits. The event has SHA-256 of these bytes followed by those of each file.",
      examples: ["5a".repeat(32)],
    }),
    entry: base64.meta({
      description: "The event `DocumentArchived` as the log has it: the bytes that the leaf hash is made of.",
      examples: ["AQALZG9jdW1lbnQtNDI="],
    }),
    index: z
      .int()
      .nonnegative()
      .meta({ description: "Index of the leaf.", examples: [1234] }),
    hashes: z
      .array(base64.meta({ examples: ["Wlpa"] }))
      .meta({ description: "Hashes beside the way from the leaf to the root, lowest first (RFC 6962)." }),
    checkpoint: z.string().meta({
      description: "Signed checkpoint of the log (C2SP tlog-checkpoint).",
      examples: ["hostledger/1a2b3c\n2000\nWlpa\n\n— hostledger/1a2b3c WlpaWg==\n"],
    }),
    verifier_keys: z.array(z.string().meta({ examples: ["hostledger/1a2b3c+8f3e1a2b+AVpa"] })).meta({
      description: "Public keys of the log, by name. Compare them with those that the provider publishes.",
    }),
  })
  .meta({ id: "DocumentProof", description: "Proof that a document's files are those that were archived." });

const balanceView = view(messages.GetAccountResponseSchema, balance, {
  balance: ({ balanceCents }) => euroText(balanceCents),
});

const invoiceView = view(messages.InvoiceSchema, invoice, {
  netto: ({ netCents }) => euros(netCents),
  brutto: ({ grossCents }) => euros(grossCents),
  paid: ({ paidAt }) => paidAt !== "",
});

const invoiceLineView = view(messages.InvoiceLineSchema, invoiceLine, {
  unit_price: ({ unitCents }) => euros(unitCents),
});

function invoiceDetailView(found: messages.GetInvoiceResponse): z.output<typeof invoiceDetail> {
  const document = present(found.invoice, "GetInvoiceResponse.invoice");
  // For a receipt `cause` is the payer's reference; for invoices it is an internal run id, which is hidden.
  const isPayment = document.action === "topup" || document.cancelsReceipt;
  return {
    ...invoiceView(document),
    vat: euros(document.vatCents),
    vat_rate: document.vatRateBasisPoints / 100,
    prices_include_vat: found.pricesIncludeVat,
    lines: found.lines.map(invoiceLineView),
    payment_reference: isPayment ? found.cause : null,
    corrects_invoice_id: document.correctsInvoiceId === undefined ? null : Number(document.correctsInvoiceId),
    corrects_number: found.correctsNumber ?? null,
    reason: found.reason ?? null,
  };
}

/** Operations on the balance and the documents. Files come from the archive, so they never change. */
export const billingOperations = [
  operation({
    id: "getBalance",
    scopes: ["billing", "read"],
    route: "GET /billing/balance",
    summary: "Read the account's balance",
    request: {},
    responses: { 200: balance },
    refusals: [],
    body: async (_request, { accountId, accounts, call }) =>
      balanceView(await accounts.getAccount({ accountId }, call)),
  }),
  operation({
    id: "listInvoices",
    scopes: ["billing", "read"],
    route: "GET /billing/invoices",
    summary: "List the account's invoices, oldest first",
    request: { query: listQuery.extend({ domain: domainFilter.optional() }) },
    responses: { 200: z.array(invoice) },
    refusals: [],
    answer: ({ query }, { accountId, accounts, domains, call }) =>
      listed("/billing/invoices", query, async ({ filter = {}, ...page }) => {
        const domainId = await filteredDomain(domains, query.domain, call);
        if (domainId === null) return [];
        const filters = { ...filter, ...defined({ domainId }) };
        const asked = Object.keys(filters).length === 0 ? page : { ...page, filter: filters };
        const list = await accounts.listInvoices({ accountId, page: asked }, call);
        return list.invoices.map(invoiceView);
      }),
  }),
  operation({
    id: "getInvoice",
    scopes: ["billing", "read"],
    route: "GET /billing/invoices/{invoice}",
    summary: "Read an invoice, a receipt or a correction with its lines",
    request: { params: invoicePath },
    responses: { 200: invoiceDetail },
    refusals: [],
    body: async ({ params }, { accounts, call }) =>
      invoiceDetailView(await accounts.getInvoice({ invoiceId: params.invoice }, call)),
  }),
  operation({
    id: "getInvoicePdf",
    scopes: ["billing", "read"],
    route: "GET /billing/invoices/{invoice}.pdf",
    summary: "Download an invoice, a receipt or a correction as a PDF",
    request: { params: invoicePath },
    responses: { 200: pdfFile },
    media: pdfType,
    refusals: ["document-damaged"],
    answer: ({ params }, caller) => fileOf(params.invoice, "pdf", caller),
  }),
  operation({
    id: "getInvoiceXml",
    scopes: ["billing", "read"],
    route: "GET /billing/invoices/{invoice}.xml",
    summary: "Download an invoice or a correction as an electronic invoice",
    description:
      "Returns XML per EN 16931 in the syntax UN/CEFACT CII. The receipt of a top-up and its cancellation are no invoices and have no XML: 404.",
    request: { params: invoicePath },
    responses: { 200: xmlFile },
    media: eInvoiceType,
    refusals: ["document-damaged"],
    answer: ({ params }, caller) => fileOf(params.invoice, "xml", caller),
  }),
  operation({
    id: "getInvoiceProof",
    scopes: ["billing", "read"],
    route: "GET /billing/invoices/{invoice}/proof",
    summary: "Prove that the files of a document are those that were archived",
    description:
      "Returns the inclusion proof of the document's files in the audit log. `hostledger verify-document FILE PROOF` checks it offline, for the PDF and the XML alike.",
    request: { params: invoicePath },
    responses: { 200: documentProof },
    refusals: ["proof-pending"],
    body: ({ params }, caller) => proofOf(params.invoice, caller),
  }),
];

async function fileOf(invoiceId: bigint, format: "pdf" | "xml", { documents, call }: Caller) {
  const { files } = await documents.getDocumentFiles({ invoiceId, format }, call);
  const { name, mediaType: type, content: bytes } = present(files[0], "GetDocumentFilesResponse.files");
  return { status: 200, file: { type, name, bytes } };
}

async function proofOf(
  invoiceId: bigint,
  { documents, proofs, call }: Caller,
): Promise<z.output<typeof documentProof>> {
  const { salt } = await documents.getArchivedDocument({ invoiceId }, call);
  // Without an audit service, no checkpoint covers the document.
  if (proofs === undefined)
    throw new RefusalError({ code: "proof-pending", message: meaningOf("proof-pending").sentence });
  const proof = await proofs.getDocumentProof({ invoiceId }, call);
  return {
    format: "hostledger-document-proof",
    version: 1,
    salt,
    entry: base64Text(proof.entry),
    index: Number(proof.index),
    hashes: proof.hashes.map(base64Text),
    checkpoint: proof.checkpoint,
    verifier_keys: proof.verifierKeys,
  };
}

function base64Text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** Returns the id of the domain in a filter; null if the account has no domain of that name. */
async function filteredDomain(
  domains: OperationServices["domains"],
  reference: bigint | string | undefined,
  call: CallOptions,
): Promise<bigint | undefined | null> {
  if (typeof reference !== "string") return reference;
  const [found] = (await domains.listDomains({ name: reference }, call)).domains;
  return found?.id ?? null;
}
