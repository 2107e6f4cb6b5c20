import type { MessageInitShape } from "@bufbuild/protobuf";
import { distros } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import type { FirewallOptions } from "@hostledger/providers";

import type { FirewallRuleRow, PlanRow, RegionRow, ServerRow, StockRow } from "../reads/server.queries.ts";

/** A server as a Connect message. */
export function serverMessage(row: ServerRow): MessageInitShape<typeof server.ServerSchema> {
  return {
    id: BigInt(row.id),
    ...(row.hostname === null ? {} : { hostname: row.hostname }),
    ipAddress: row.ip_address,
    node: row.node,
    rdns: row.rdns,
    distro: row.distro,
    status: row.status,
    planId: BigInt(row.plan_id),
    suspended: row.status === "suspended",
    createdAt: row.created_at,
    expiryDate: row.expiry_date,
  };
}

/** A firewall rule at its position. */
export function firewallRuleMessage(
  row: Omit<FirewallRuleRow, "server_id" | "rule_id" | "ordinal" | "enable"> & {
    readonly enable: boolean | number;
  },
  pos: number,
): MessageInitShape<typeof server.FirewallRuleSchema> {
  const { type, action, proto, dport, sport, source, dest, comment } = row;
  return { pos, type, action, proto, dport, sport, source, dest, comment, enable: Boolean(row.enable) };
}

/** A firewall's options: what the node says, but on or off as the facts say. */
export function firewallOptionsMessage(
  options: FirewallOptions,
  enable: boolean,
): MessageInitShape<typeof server.FirewallOptionsSchema> {
  return { ...options, enable };
}

/** A plan as a Connect message. */
export function planMessage(row: PlanRow): MessageInitShape<typeof server.PlanSchema> {
  return {
    id: BigInt(row.id),
    title: row.title,
    cores: row.cores,
    memoryGb: row.memory_gb,
    storageGb: row.storage_gb,
    priceCents: BigInt(row.price_cents),
  };
}

/** A region as a Connect message. */
export function regionMessage(row: RegionRow): MessageInitShape<typeof server.RegionSchema> {
  return { id: BigInt(row.id), code: row.code, location: row.location };
}

/** Units of a plan in a region. */
export function stockMessage(row: StockRow): MessageInitShape<typeof server.StockEntrySchema> {
  return { plan: planMessage(row.plan), region: regionMessage(row.region), units: row.units };
}

/** The distributions on offer. */
export function distroMessages(): MessageInitShape<typeof server.DistroSchema>[] {
  return distros.map(({ id, name, version }) => ({ id: BigInt(id), name, version }));
}
