import type { ProviderView } from "@hostledger/audit/verification";
import { z } from "zod";

import { refused } from "../exit-code.ts";
import { readLimited } from "./verification-options.ts";

/** Maximum bytes of a list: 64 MiB. */
const listBytes = 67_108_864;

const euros = z
  .string()
  .regex(/^\d{1,9}\.\d{2}$/, 'must be euros such as "20.00"')
  .transform((text) => BigInt(text.replace(".", "")));

/** An instant in UTC, with six fractional digits as stored events have. */
const instant = z.iso.datetime().transform((text) => new Date(text).toISOString().replace("Z", "000Z"));

const refundKinds: readonly string[] = ["refund", "refund-return"];

const movement = z
  .strictObject({
    kind: z.enum(["settlement", "return", "refund", "refund-return", "payout"]),
    order_id: z.string().max(200),
    /** Of a refund only; empty if the provider has none of ours. */
    refund_id: z.string().max(200).optional(),
    provider_reference: z.string().min(1).max(200),
    amount: euros,
    fee: euros,
    at: instant,
  })
  .refine(({ kind, refund_id: refundId }) => refundKinds.includes(kind) === (refundId !== undefined), {
    path: ["refund_id"],
    message: "must be there for a refund and a refund-return, and for nothing else",
  })
  .transform(({ order_id, refund_id, provider_reference, amount, fee, ...same }) => ({
    ...same,
    orderId: order_id,
    refundId: refund_id,
    providerReference: provider_reference,
    amountCents: amount,
    feeCents: fee,
  }));

/** Movements that a list has at most. */
export const mostListedMovements = 200_000;

const list = z.strictObject({
  name: z.string().regex(/^[a-z]{1,50}$/, "must be the name of the payment provider, in small letters"),
  from: instant,
  to: instant,
  movements: z.array(movement).max(mostListedMovements),
});

/**
 * Reads a payment provider's list of a period, as JSON. An auditor gets the list from the provider, not from the
 * instance.
 * @throws CommandFailure (1) for an invalid file.
 */
export async function readProviderList(path: string): Promise<ProviderView> {
  const bytes = await readLimited(path, listBytes, "list of a payment provider");
  const read = list.safeParse(jsonOf(bytes.toString("utf8")));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw refused(`${path} is no list of a payment provider: ${place}${issue?.message ?? "it is empty"}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
