import { z } from "zod";

import { euroAmount, id, timestamp } from "./values.schema.ts";

/** Answer of `GET /billing/balance`: a decimal string, so that no client reads it into a binary float unasked. */
export const balance = z
  .object({
    balance: z
      .string()
      .regex(/^\d+\.\d{2}$/)
      .meta({ description: "EUR, with two decimals.", examples: ["12.34"] }),
  })
  .meta({ id: "Balance", description: "The account's balance." });

/** An invoice, a top-up receipt or a correction. */
export const invoice = z
  .object({
    id,
    number: z.string().meta({ description: "Gapless within its series.", examples: ["2026-7-000042"] }),
    action: z.string().meta({ enum: ["purchase", "renewal", "topup", "refund"] }),
    gateway: z.string().meta({ description: "How it was paid.", examples: ["balance"] }),
    netto: euroAmount,
    brutto: euroAmount,
    duration: z
      .int()
      .nonnegative()
      .meta({ description: "Years of a domain, months of a server; 0 where nothing has a duration." }),
    paid: z.boolean(),
    delivered: z.boolean().meta({ description: "What it is for was delivered." }),
    server_id: id.nullable(),
    domain_id: id.nullable(),
    plan_id: id.nullable(),
    created_at: timestamp,
  })
  .meta({ id: "Invoice", description: "An invoice, a top-up receipt or a correction." });

/** Answer of `GET /billing/invoices`. */
export const invoiceList = z.array(invoice);
