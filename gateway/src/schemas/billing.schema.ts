import { z } from "zod";

import { euroAmount, id, timestamp } from "./values.schema.ts";

/** Answer of `GET /billing/balance`: a decimal string, so that no client reads it into a binary float unasked. */
export const balance = z.object({ balance: z.string().regex(/^\d+\.\d{2}$/) });

/** An invoice, a top-up receipt or a correction. */
export const invoice = z.object({
  id,
  number: z.string(),
  action: z.string().meta({ enum: ["purchase", "renewal", "topup", "refund"] }),
  gateway: z.string(),
  netto: euroAmount,
  brutto: euroAmount,
  duration: z.int().nonnegative(),
  paid: z.boolean(),
  delivered: z.boolean(),
  server_id: id.nullable(),
  domain_id: id.nullable(),
  plan_id: id.nullable(),
  created_at: timestamp,
});

/** Answer of `GET /billing/invoices`. */
export const invoiceList = z.array(invoice);
