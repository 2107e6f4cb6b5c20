import type { DelegationSigner } from "@hostledger/core";

import type { Disclosure, PostalInfo } from "../epp/contact-elements.ts";
import type { DomainContact, TransferNews } from "../epp/domain-elements.ts";
import type { Firewall, ServerOrder } from "../compute/compute.port.ts";
import type { ZoneRecord } from "../dns/dns.port.ts";
import type { PaymentOrder, RefundOrder } from "../payment/payments.port.ts";
import type { RegistrationOrder, RenewalOrder, TransferOrder } from "../registrar/registrar.port.ts";

/** Data of a domain beyond those of our own registrar port. */
export interface DomainDetails {
  readonly creator: string;
  readonly updater?: string;
  /** ISO 8601 UTC, like all instants here. */
  readonly updatedAt?: string;
  readonly transferredAt?: string;
  readonly registrant?: string | undefined;
  readonly contacts: readonly DomainContact[];
  /** Statuses set by clients, except `clientTransferProhibited`, stored as `transferLock`. */
  readonly statuses: readonly string[];
  /** Null if removed, which prevents transfers (RFC 9154 §4.1). Absent until set: the simulator's own applies. */
  readonly authInfo?: string | null;
  /** Addresses by host name, if delegated by attributes (RFC 5731 §1.1). */
  readonly hostAttributes?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly dsData: readonly DelegationSigner[];
  /** Time of deletion, after which the domain can be restored for a while (RFC 3915); milliseconds since 1970. */
  readonly deletedAtMs?: number;
  /** An order answered with 1001; until completion the earlier state is shown. */
  readonly pending?: PendingAction;
}

/** An accepted order not carried out yet (RFC 5731 §2.3). */
export interface PendingAction {
  readonly kind: "pendingCreate" | "pendingRenew";
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  /** Expiry date shown until then. */
  readonly expiresAt: string;
}

/** A contact (RFC 5733 §2). */
export interface RegistryContact {
  readonly id: string;
  readonly sponsor: string;
  readonly creator: string;
  readonly createdAt: string;
  readonly updater?: string;
  readonly updatedAt?: string;
  readonly postal: readonly PostalInfo[];
  readonly voice?: string | undefined;
  readonly fax?: string | undefined;
  readonly email: string;
  readonly authInfo: string;
  readonly statuses: readonly string[];
  readonly disclose?: Disclosure | undefined;
}

/** A host (RFC 5732 §2). */
export interface RegistryHost {
  readonly name: string;
  readonly sponsor: string;
  readonly creator: string;
  readonly createdAt: string;
  readonly updater?: string;
  readonly updatedAt?: string;
  readonly addresses: readonly string[];
  readonly statuses: readonly string[];
}

/** Content of a poll message (RFC 5730 §2.9.2.3). */
export interface RegistryMessage {
  readonly text: string;
  /** State of a transfer (`trnData`). */
  readonly transfer?: TransferNews;
  /** Result of a pending action (`panData`, RFC 5731 §3.3). */
  readonly pendingAction?: {
    readonly name: string;
    readonly clientTransactionId: string;
    readonly serverTransactionId: string;
    readonly at: string;
  };
  /** Domain changed by the registry, shown as `infData`. */
  readonly changed?: string;
}

/** Parses a domain's details from our own file, without validation. */
export function decodeDetails(text: string, sponsor: string): DomainDetails {
  const written = JSON.parse(text) as Partial<DomainDetails>;
  return { creator: sponsor, contacts: [], statuses: [], dsData: [], ...written };
}

export function decodeContact(text: string): RegistryContact {
  return JSON.parse(text) as RegistryContact;
}

export function decodeHost(text: string): RegistryHost {
  return JSON.parse(text) as RegistryHost;
}

export function decodeMessage(text: string): RegistryMessage {
  return JSON.parse(text) as RegistryMessage;
}

/** A late command as received, with its registrar. */
export interface LateCommand {
  readonly registrar: string;
  readonly xml: string;
}

export function decodeLateCommand(text: string): LateCommand {
  return JSON.parse(text) as LateCommand;
}

/** Serialises a firewall with members in fixed order, so that equal firewalls give equal texts. */
export function encodeFirewall({ enabled, rules }: Firewall): string {
  const ordered = rules.map(({ type, action, proto, dport, sport, source, dest, comment, enable }) => ({
    type,
    action,
    proto,
    dport,
    sport,
    source,
    dest,
    comment,
    enable,
  }));
  return JSON.stringify({ enabled, rules: ordered });
}

/** Parses a firewall from our own file, without validation. */
export function decodeFirewall(text: string): Firewall {
  return JSON.parse(text) as Firewall;
}

/** Serialises a zone's records in sorted order, so that equal sets give equal texts. */
export function encodeRecords(records: readonly ZoneRecord[]): string {
  const texts = records.map(({ type, name, value, ttlSeconds, priority }) =>
    JSON.stringify({ type, name, value, ttlSeconds, priority }),
  );
  return `[${texts.sort().join(",")}]`;
}

/** Parses records from our own file, without validation. */
export function decodeRecords(text: string): readonly ZoneRecord[] {
  return JSON.parse(text) as readonly ZoneRecord[];
}

export type LateRegistrarOrder =
  | { readonly kind: "registration"; readonly order: RegistrationOrder }
  | { readonly kind: "renewal" | "restoration"; readonly order: RenewalOrder }
  | { readonly kind: "transfer"; readonly order: TransferOrder };

/** Parses a late order from our own file, without validation. */
export function decodeLateRegistrarOrder(text: string): LateRegistrarOrder {
  return JSON.parse(text) as LateRegistrarOrder;
}

/** Serialises an order of a payment. */
export function encodePaymentOrder({ amountCents, ...order }: PaymentOrder): string {
  return JSON.stringify({ ...order, amountCents: String(amountCents) });
}

/** Parses an order of a payment from our own file, without validation. */
export function decodePaymentOrder(text: string): PaymentOrder {
  const { amountCents, ...order } = JSON.parse(text) as Omit<PaymentOrder, "amountCents"> & {
    readonly amountCents: string;
  };
  return { ...order, amountCents: BigInt(amountCents) };
}

/** Serialises an order of a refund. */
export function encodeRefundOrder({ amountCents, ...order }: RefundOrder): string {
  return JSON.stringify({ ...order, amountCents: String(amountCents) });
}

/** Parses an order of a refund from our own file, without validation. */
export function decodeRefundOrder(text: string): RefundOrder {
  const { amountCents, ...order } = JSON.parse(text) as Omit<RefundOrder, "amountCents"> & {
    readonly amountCents: string;
  };
  return { ...order, amountCents: BigInt(amountCents) };
}

/** Parses a late server order from our own file, without validation. */
export function decodeLateServerOrder(text: string): ServerOrder {
  return JSON.parse(text) as ServerOrder;
}
