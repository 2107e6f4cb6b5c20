import { cents, list, number, property, text, type Event } from "./books-event.ts";

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
  readonly subject: Subject;
  /** Undefined where the document has no lines. */
  readonly lines: { readonly sumCents: bigint; readonly includeVat: boolean } | undefined;
  readonly corrects: { readonly id: number; readonly number: string } | undefined;
}

/** Subject of a document. */
export interface Subject {
  readonly duration: number;
  readonly domainId: number | null;
  readonly serverId: number | null;
  readonly planId: number | null;
}

/** Reads `InvoiceIssued`, `CorrectionIssued` and `ReceiptCancelled`. */
export function readDocument(accountId: number, { type, data }: Event): Document {
  if (type === "ReceiptCancelled") return readCancellation(accountId, data);
  const common = {
    accountId,
    number: text(data, "number"),
    netCents: cents(data, "netCents"),
    vatCents: cents(data, "vatCents"),
    vatRatePercent: BigInt(number(data, "vatRatePercent")),
    grossCents: cents(data, "grossCents"),
    subject: {
      duration: number(data, "duration"),
      domainId: idOrNull(data, "domainId"),
      serverId: idOrNull(data, "serverId"),
      planId: idOrNull(data, "planId"),
    },
  };
  if (type === "CorrectionIssued") {
    return {
      ...common,
      id: number(data, "correctionId"),
      action: "refund",
      cause: text(data, "chargeId"),
      lines: undefined,
      corrects: { id: number(data, "correctsInvoiceId"), number: text(data, "correctsNumber") },
    };
  }
  const lines = list(data, "lines");
  return {
    ...common,
    id: number(data, "invoiceId"),
    action: actionOf(text(data, "action")),
    cause: text(data, "cause"),
    lines: {
      sumCents: lines.reduce<bigint>((sum, line) => sum + lineCents(line), 0n),
      includeVat: property(data, "pricesIncludeVat") === true,
    },
    corrects: undefined,
  };
}

function readCancellation(accountId: number, data: unknown): Document {
  const grossCents = cents(data, "grossCents");
  return {
    accountId,
    number: text(data, "number"),
    id: number(data, "correctionId"),
    action: "refund",
    cause: text(data, "reference"),
    netCents: grossCents,
    vatCents: 0n,
    vatRatePercent: 0n,
    grossCents,
    subject: { duration: 0, domainId: null, serverId: null, planId: null },
    lines: undefined,
    corrects: { id: number(data, "correctsInvoiceId"), number: text(data, "correctsNumber") },
  };
}

/** The first version of a document knew nothing of servers. */
function idOrNull(data: unknown, name: string): number | null {
  return (property(data, name) ?? null) === null ? null : number(data, name);
}

/** The first version called its amounts net. */
function lineCents(line: unknown): bigint {
  const [unit, amount] =
    property(line, "unitCents") === undefined ? ["unitNetCents", "netCents"] : ["unitCents", "amountCents"];
  const sum = BigInt(number(line, "quantity")) * cents(line, unit);
  if (sum !== cents(line, amount)) throw new RangeError(`a line is miscalculated: ${JSON.stringify(line)}`);
  return sum;
}

function actionOf(action: string): Document["action"] {
  if (action === "purchase" || action === "renewal" || action === "topup") return action;
  throw new RangeError(`no action of an invoice: ${action}`);
}
