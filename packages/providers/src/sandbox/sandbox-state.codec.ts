import type { Firewall, ServerOrder } from "../compute/compute.port.ts";
import type { ZoneRecord } from "../dns/dns.port.ts";
import type { RegistrationOrder, RenewalOrder, TransferOrder } from "../registrar/registrar.port.ts";

/** Writes a firewall as JSON. The same firewall gives the same text, however its members are ordered. */
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

/** Reads what `encodeFirewall` wrote. The text comes from our own file: its shape is taken for granted. */
export function decodeFirewall(text: string): Firewall {
  return JSON.parse(text) as Firewall;
}

/** Writes a zone's records as JSON. The same records in another order give the same text. */
export function encodeRecords(records: readonly ZoneRecord[]): string {
  const texts = records.map(({ type, name, value, ttlSeconds, priority }) =>
    JSON.stringify({ type, name, value, ttlSeconds, priority }),
  );
  return `[${texts.sort().join(",")}]`;
}

/** Reads what `encodeRecords` wrote. The text comes from our own file: its shape is taken for granted. */
export function decodeRecords(text: string): readonly ZoneRecord[] {
  return JSON.parse(text) as readonly ZoneRecord[];
}

/** An order that the registrar carries out late. */
export type LateRegistrarOrder =
  | { readonly kind: "registration"; readonly order: RegistrationOrder }
  | { readonly kind: "renewal" | "restoration"; readonly order: RenewalOrder }
  | { readonly kind: "transfer"; readonly order: TransferOrder };

/** Reads what was taken down for the registrar. The text comes from our own file: its shape is taken for granted. */
export function decodeLateRegistrarOrder(text: string): LateRegistrarOrder {
  return JSON.parse(text) as LateRegistrarOrder;
}

/** Reads what was taken down for the compute provider, from our own file too. */
export function decodeLateServerOrder(text: string): ServerOrder {
  return JSON.parse(text) as ServerOrder;
}
