import type { Firewall, ServerOrder } from "../compute/compute.port.ts";
import type { ZoneRecord } from "../dns/dns.port.ts";
import type { RegistrationOrder, RenewalOrder, TransferOrder } from "../registrar/registrar.port.ts";

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

/** Parses a late server order from our own file, without validation. */
export function decodeLateServerOrder(text: string): ServerOrder {
  return JSON.parse(text) as ServerOrder;
}
