import { hash } from "node:crypto";

import type { NoticeKind } from "@hostledger/core";
import type { ProjectedEvent, RowWriter } from "@hostledger/projections";

import type { noticeTables } from "./notice.tables.ts";
import type { SupportSubscriptionEvent } from "./support.subscription.ts";

/** A notice as a fact says it. */
interface Draft {
  readonly kind: NoticeKind;
  /** Null where the fact does not say it; the server does then. */
  readonly accountId: number | null;
  readonly serverId?: number;
  readonly resource: string;
  /** When it was so, by the fact: when the fact was stored changes where a log is moved. */
  readonly at: string;
  /** Of a balance that fell, in cents (EUR). */
  readonly fall?: { readonly from: number; readonly to: number };
  /** In the names of the REST API; nothing personal. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
  /** Several facts that are one notice have one of these. Default: each fact is one of its own. */
  readonly once?: string;
}

/** Writes rows of the notices' tables. */
export type NoticeWriter = RowWriter<typeof noticeTables>;

type Fact<Type> = ProjectedEvent<Extract<SupportSubscriptionEvent, { readonly type: Type }>>;

/** What facts of a domain have in common. */
export interface DomainFact {
  readonly domainId: number;
  readonly accountId: number;
}

/** A line of the table: how the notice is made, and what the fact says beside it. */
export function notice<Type extends SupportSubscriptionEvent["type"]>(
  make: (input: Fact<Type>) => Draft | undefined,
  beside?: (db: NoticeWriter, input: Fact<Type>) => void,
): (db: NoticeWriter, input: Fact<Type>) => void {
  return (db, input) => {
    beside?.(db, input);
    const draft = make(input);
    if (draft === undefined) return;
    const { kind, accountId, serverId = null, resource, at, data, fall: fell, once } = draft;
    db.insert("notices", {
      position: input.position,
      notice_id: noticeId(`${kind}/${once ?? `${input.stream}@${String(input.revision)}`}`),
      kind,
      account_id: accountId,
      server_id: serverId,
      resource,
      data: JSON.stringify(data),
      fell_from_cents: fell?.from ?? null,
      fell_to_cents: fell?.to ?? null,
      noticed_at: at,
    });
  };
}

/** The id of a notice: the same whenever it is made of the same fact. Without full stops, which part the signed text. */
export function noticeId(cause: string): string {
  return `msg_${hash("sha256", cause, "hex").slice(0, 32)}`;
}

/** A notice of a document that corrects another one: an invoice, or the receipt of a payment that was taken back. */
export function corrected(
  stream: string,
  document: {
    readonly correctionId: number;
    readonly number: string;
    readonly correctsInvoiceId: number;
    readonly correctsNumber: string;
    readonly grossCents: string;
    readonly reason: string;
    readonly issuedAt: string;
  },
  cancelsReceipt: boolean,
): Draft {
  return {
    kind: "invoice.corrected",
    accountId: numberOf(stream),
    resource: stream,
    at: document.issuedAt,
    data: {
      invoice_id: document.correctionId,
      number: document.number,
      action: "refund",
      brutto: Number(document.grossCents) / 100,
      corrects_invoice_id: document.correctsInvoiceId,
      corrects_number: document.correctsNumber,
      cancels_receipt: cancelsReceipt,
    },
  };
}

/** A notice of a domain. */
export function domain(
  kind: NoticeKind,
  { domainId, accountId, expiresAt }: DomainFact & { readonly expiresAt?: string },
  name: string,
  at: string,
  more: Draft["data"] = {},
): Draft {
  return {
    kind,
    accountId,
    at,
    resource: `domain-${String(domainId)}`,
    data: { domain_id: domainId, domain_name: name, expiry_date: expiresAt ?? null, ...more },
  };
}

/** A notice of a server. */
export function server(
  kind: NoticeKind,
  { serverId, accountId }: { readonly serverId: number; readonly accountId?: number },
  at: string,
  more: Draft["data"] = {},
): Draft {
  return {
    kind,
    at,
    accountId: accountId ?? null,
    serverId,
    resource: `server-${String(serverId)}`,
    data: { server_id: serverId, ...more },
  };
}

/** A balance that became less. Whether it fell below what the account chose is asked when notices are read. */
export function fall(stream: string, changeCents: number, to: number, at: string): Draft | undefined {
  if (changeCents >= 0) return undefined;
  const from = to - changeCents;
  return {
    kind: "balance.low",
    accountId: numberOf(stream),
    resource: stream,
    at,
    fall: { from, to },
    data: { balance: to / 100, balance_before: from / 100 },
  };
}

/** The name in `domain-example.com`. */
export function nameOf(stream: string): string {
  return stream.slice(stream.indexOf("-") + 1);
}

/** The number in `account-7`. */
export function numberOf(stream: string): number {
  return Number(nameOf(stream));
}
