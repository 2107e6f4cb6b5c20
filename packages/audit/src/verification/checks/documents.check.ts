import type { HostingEvent } from "@hostledger/core";
import type { Check } from "./check.ts";

/** Sums of all documents, in cents. */
export interface DocumentTotals {
  invoicedCents: bigint;
  receiptedCents: bigint;
  /** Negative. */
  correctedCents: bigint;
}

interface AccountPages {
  counts: Record<"" | "T" | "C", number>;
  /** Prefix of numbers since the store was restored and accepted, such as `R1-`; empty before. */
  rewound: string;
  /** Movement whose document must be the stream's next event. */
  awaited:
    | {
        readonly index: number;
        readonly series: "" | "T" | "C";
        readonly grossCents: bigint;
        /** True for reversed payments, because older versions issued no document for them. */
        readonly isOptional?: boolean;
      }
    | undefined;
}

const noPages = { counts: { "": 0, T: 0, C: 0 }, rewound: "" };

/** Checks that documents are numbered without gaps, have correct sums, and follow the balance movement they document. */
export function documentsCheck(): Check & { readonly totals: Readonly<DocumentTotals> } {
  const accounts = new Map<number, AccountPages>();
  const totals: DocumentTotals = { invoicedCents: 0n, receiptedCents: 0n, correctedCents: 0n };
  return {
    totals,
    see({ index, accountId, event }, report) {
      if (accountId === undefined || event === undefined) return;
      const pages = accounts.get(accountId) ?? {
        counts: { ...noPages.counts },
        rewound: noPages.rewound,
        awaited: undefined,
      };
      accounts.set(accountId, pages);
      const document = documentOf(event);
      const { awaited } = pages;
      if (awaited !== undefined && awaited.isOptional !== true && document?.series !== awaited.series)
        report("documents", awaited.index, "is not followed by its document");
      pages.awaited = undefined;
      if (event.type === "DocumentSeriesBegun") {
        pages.counts = { ...noPages.counts };
        pages.rewound = `R${String(event.data.series)}-`;
      }
      if (document === undefined) {
        pages.awaited = awaitedAfter(index, event);
        return;
      }
      if (awaited?.series !== document.series)
        report("documents", index, `issues ${document.number} without a movement before it`);
      else if (awaited.grossCents !== document.grossCents) {
        const moved = String(awaited.grossCents);
        report(
          "documents",
          index,
          `is over ${String(document.grossCents)} cents, its movement over ${moved}`,
        );
      }
      pages.counts[document.series] += 1;
      const wanted = `${String(accountId)}-${pages.rewound}${countOf(pages, document)}`;
      judge(document, wanted, (message) => {
        report("documents", index, message);
      });
      totals[totalOf[document.series]] += document.grossCents;
    },
    end(size, report) {
      for (const { awaited } of accounts.values()) {
        // Movement and document are one append, so only at the end of the log may the document be missing.
        if (awaited !== undefined && awaited.isOptional !== true && awaited.index + 1 < size)
          report("documents", awaited.index, "is not followed by its document");
      }
    },
  };
}

const totalOf = { "": "invoicedCents", T: "receiptedCents", C: "correctedCents" } as const;

interface Document {
  readonly series: "" | "T" | "C";
  readonly number: string;
  readonly netCents: bigint;
  readonly vatCents: bigint;
  readonly grossCents: bigint;
}

function documentOf(event: HostingEvent): Document | undefined {
  if (event.type === "ReceiptCancelled") {
    const grossCents = BigInt(event.data.grossCents);
    return { series: "C", number: event.data.number, netCents: grossCents, vatCents: 0n, grossCents };
  }
  if (event.type !== "InvoiceIssued" && event.type !== "CorrectionIssued") return undefined;
  const { number, netCents, vatCents, grossCents } = event.data;
  const isReceipt = event.type === "InvoiceIssued" && event.data.action === "topup";
  return {
    series: event.type === "CorrectionIssued" ? "C" : isReceipt ? "T" : "",
    number,
    netCents: BigInt(netCents),
    vatCents: BigInt(vatCents),
    grossCents: BigInt(grossCents),
  };
}

function awaitedAfter(index: number, event: HostingEvent): AccountPages["awaited"] {
  switch (event.type) {
    case "BalanceCredited":
      return { index, series: "T", grossCents: BigInt(event.data.amountCents) };
    case "BalanceCharged":
      return { index, series: "", grossCents: BigInt(event.data.grossCents) };
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return { index, series: "C", grossCents: -BigInt(event.data.grossCents) };
    case "BalanceAdjusted": {
      const { kind, amountCents } = event.data;
      if (kind !== "top-up-reversed") return undefined;
      return { index, series: "C", grossCents: BigInt(amountCents), isOptional: true };
    }
    default:
      return undefined;
  }
}

function countOf({ counts }: Pick<AccountPages, "counts">, { series }: Pick<Document, "series">): string {
  return `${series}${String(counts[series]).padStart(6, "0")}`;
}

function judge(
  { number, netCents, vatCents, grossCents }: Document,
  wanted: string,
  say: (message: string) => void,
): void {
  if (!/^2\d{3}-/u.test(number) || number.slice(5) !== wanted)
    say(`is numbered ${number}, the next of its series is ${number.slice(0, 4)}-${wanted}`);
  if (netCents + vatCents !== grossCents) say(`${number} has sums that do not fit`);
}
