import type { Firewall } from "../compute/compute.port.ts";

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
