import { cents, list, number, text, type Fact } from "./fact.ts";

/** An invoice, a receipt or a correction. */
export interface Document {
  readonly accountId: number;
  readonly id: number;
  readonly number: string;
  readonly action: "purchase" | "renewal" | "topup" | "refund";
  /** The charge's id, or the payment's reference. */
  readonly cause: string;
  readonly netCents: bigint;
  readonly vatCents: bigint;
  readonly vatRatePercent: bigint;
  readonly grossCents: bigint;
  /** Undefined where the document has no lines. */
  readonly linesNetCents: bigint | undefined;
  readonly corrects: { readonly id: number; readonly number: string } | undefined;
}

/** Reads `InvoiceIssued` and `CorrectionIssued`. */
export function readDocument(accountId: number, { type, data }: Fact): Document {
  const sums = {
    accountId,
    number: text(data, "number"),
    netCents: cents(data, "netCents"),
    vatCents: cents(data, "vatCents"),
    vatRatePercent: BigInt(number(data, "vatRatePercent")),
    grossCents: cents(data, "grossCents"),
  };
  if (type === "CorrectionIssued") {
    const corrects = { id: number(data, "correctsInvoiceId"), number: text(data, "correctsNumber") };
    const id = number(data, "correctionId");
    return {
      ...sums,
      id,
      action: "refund",
      cause: text(data, "chargeId"),
      linesNetCents: undefined,
      corrects,
    };
  }
  return {
    ...sums,
    id: number(data, "invoiceId"),
    action: actionOf(text(data, "action")),
    cause: text(data, "cause"),
    linesNetCents: list(data, "lines").reduce<bigint>((sum, line) => sum + lineNetCents(line), 0n),
    corrects: undefined,
  };
}

function lineNetCents(line: unknown): bigint {
  const net = BigInt(number(line, "quantity")) * cents(line, "unitNetCents");
  if (net !== cents(line, "netCents"))
    throw new RangeError(`a line is miscalculated: ${JSON.stringify(line)}`);
  return net;
}

function actionOf(action: string): Document["action"] {
  if (action === "purchase" || action === "renewal" || action === "topup") return action;
  throw new RangeError(`no action of an invoice: ${action}`);
}
