import { z } from "zod";

import { euroAmount, id, resourceId, timestamp } from "./values.schema.ts";

/** Answer of `GET /billing/balance`. The balance is a decimal string, so that clients do not parse it as a binary float. */
export const balance = z
  .object({
    balance: z
      .string()
      .regex(/^-?\d+\.\d{2}$/)
      .meta({
        description: "EUR, with two decimals; below zero only where the provider has allowed a debt.",
        examples: ["12.34"],
      }),
  })
  .meta({ id: "Balance", description: "The account's balance." });

/** An invoice, a top-up receipt or a correction. */
export const invoice = z
  .object({
    id,
    number: z.string().meta({ description: "Gapless within its series.", examples: ["2026-7-000042"] }),
    action: z.string().meta({ enum: ["purchase", "renewal", "topup", "refund"] }),
    gateway: z.string().meta({ description: "How it was paid.", examples: ["balance"] }),
    netto: euroAmount.meta({ examples: [10] }),
    brutto: euroAmount,
    duration: z
      .int()
      .nonnegative()
      .meta({ description: "Years of a domain, months of a server; 0 where nothing has a duration." }),
    paid: z
      .boolean()
      .meta({ description: "False on the receipt of a payment that was taken back; else true." }),
    delivered: z.boolean().meta({ description: "What it is for was delivered." }),
    server_id: id.nullable().meta({ examples: [null] }),
    domain_id: id.nullable(),
    plan_id: id.nullable().meta({ examples: [null] }),
    created_at: timestamp,
  })
  .meta({ id: "Invoice", description: "An invoice, a top-up receipt or a correction." });

export const invoiceLine = z
  .object({
    description: z.string().meta({ examples: ["Registration of example.com, per year"] }),
    quantity: z.int().positive(),
    unit_price: euroAmount.meta({ examples: [10] }),
    amount: euroAmount.meta({ examples: [10] }),
  })
  .meta({ id: "InvoiceLine", description: "A line of an invoice, net or gross as the invoice says." });

/** Answer of `GET /billing/invoices/{invoice}`. */
export const invoiceDetail = invoice
  .extend({
    vat: euroAmount.meta({ examples: [1.9] }),
    vat_rate: z
      .int()
      .nonnegative()
      .meta({ description: "Per cent; 0 when exempt.", examples: [19] }),
    prices_include_vat: z
      .boolean()
      .meta({ description: "The lines are gross; otherwise they are net.", examples: [false] }),
    lines: z.array(invoiceLine).meta({ description: "None on a correction, which returns a whole invoice." }),
    payment_reference: z
      .string()
      .nullable()
      .meta({
        description: "On a receipt and its cancellation: the payment's own reference.",
        examples: [null],
      }),
    corrects_invoice_id: id.nullable().meta({ examples: [null] }),
    corrects_number: z
      .string()
      .nullable()
      .meta({
        description: "On a correction: the invoice it returns; on a cancellation: the receipt.",
        examples: [null],
      }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "On a correction or a cancellation: why.", examples: [null] }),
  })
  .meta({ id: "InvoiceDetail", description: "A document with its lines, as it was frozen." });

export const invoicePath = z.object({ invoice: resourceId });

/** Answer of `GET /billing/invoices/{invoice}.pdf`. */
export const pdfFile = z
  .string()
  .meta({ format: "binary", description: "The document as a PDF.", examples: ["%PDF-1.7 …"] });

/** Answer of `GET /billing/invoices/{invoice}.xml`. */
export const xmlFile = z.string().meta({
  description: "The invoice or correction as XML per EN 16931, in the syntax UN/CEFACT CII.",
  examples: ['<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice>…</rsm:CrossIndustryInvoice>'],
});

export const invoiceList = z.array(invoice);
