import { hash } from "node:crypto";

import type { NoticeKind } from "@hostledger/core";
import type { ProjectedEvent, RowWriter } from "@hostledger/read";

import type { noticeTables } from "./notice.tables.ts";
import type { SupportSubscriptionEvent } from "./support.subscription.ts";

interface Draft {
  readonly kind: NoticeKind;
  /** Null if the event lacks the account; then the server determines it. */
  readonly accountId: number | null;
  readonly serverId?: number;
  readonly resource: string;
  /** Time in the event's data, because an import changes the storage time. */
  readonly at: string;
  /** Balance before and after, in cents (EUR). */
  readonly fall?: { readonly from: number; readonly to: number };
  /** Data in REST's field names, without personal data. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
  /** Key shared by events that make one notice. Default: one notice per event. */
  readonly once?: string;
}

export type NoticeWriter = RowWriter<typeof noticeTables>;

type Event<Type> = ProjectedEvent<Extract<SupportSubscriptionEvent, { readonly type: Type }>>;

export interface DomainEvent {
  readonly domainId: number;
  readonly accountId: number;
}

/** Returns an event handler that writes a notice, and optional other rows. */
export function notice<Type extends SupportSubscriptionEvent["type"]>(
  make: (input: Event<Type>) => Draft | undefined,
  beside?: (db: NoticeWriter, input: Event<Type>) => void,
): (db: NoticeWriter, input: Event<Type>) => void {
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

/** Returns a notice's id, equal for equal causes. Contains no full stops, which separate the parts of the signed text. */
export function noticeId(cause: string): string {
  return `msg_${hash("sha256", cause, "hex").slice(0, 32)}`;
}

/** Returns the notice of a correction, of an invoice or of a reversed payment's receipt. */
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

export function domain(
  kind: NoticeKind,
  { domainId, accountId, expiresAt }: DomainEvent & { readonly expiresAt?: string },
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

/** Returns a notice draft for a fallen balance; the account's threshold is compared when notices are read. */
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

/** Returns the name in `domain-example.com`. */
export function nameOf(stream: string): string {
  return stream.slice(stream.indexOf("-") + 1);
}

/** Returns the number in `account-7`. */
export function numberOf(stream: string): number {
  return Number(nameOf(stream));
}
