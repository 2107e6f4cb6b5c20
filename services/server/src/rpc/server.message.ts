import type { MessageInitShape } from "@bufbuild/protobuf";
import { serverEndsAt, type Distro, type ServerTerm } from "@hostledger/core";
import { admin, server } from "@hostledger/protocol";
import type { FirewallOptions } from "@hostledger/providers";
import { fromRow } from "@hostledger/rpc";

import type { PlanRow, RegionRow, StockRow } from "../reads/catalogue.queries.ts";
import type { FirewallRuleRow, ServerRow } from "../reads/server.queries.ts";

/** Makes servers Connect messages. */
export type ServerMessage = (row: ServerRow) => MessageInitShape<typeof server.ServerSchema>;

/** How servers become Connect messages. @param terminationDays for which one is kept after it expired. */
export function serverMessages(terminationDays: number): ServerMessage {
  return fromRow<ServerRow>().toMessage(server.ServerSchema, {
    suspended: ({ status }) => status === "suspended",
    terminatesAt: (row) =>
      row.status === "active" || row.status === "suspended"
        ? (serverEndsAt(termOf(row), terminationDays) ?? undefined)
        : undefined,
  });
}

function termOf(row: ServerRow): ServerTerm {
  const { cancelled, held, expiry_date: expiresAt, suspended_at: suspendedAt, released_at: releasedAt } = row;
  return { cancelled: cancelled === 1, held: held === 1, expiresAt, suspendedAt, releasedAt };
}

/** A server as staff see it. */
export const staffServerMessage = fromRow<ServerRow>().toMessage(admin.StaffServerSchema, {});

/** A rule as its row or its command has it, and its place. */
interface PlacedRule extends Omit<FirewallRuleRow, "server_id" | "rule_id" | "ordinal" | "enable"> {
  readonly enable: boolean | number;
  readonly pos: number;
  readonly provider: boolean;
}

/** A firewall rule at its position. */
export const firewallRuleMessage = fromRow<PlacedRule>().toMessage(server.FirewallRuleSchema, {});

/** A firewall's options: what the node says, but on or off as the facts say. */
export function firewallOptionsMessage(
  options: FirewallOptions,
  enable: boolean,
): MessageInitShape<typeof server.FirewallOptionsSchema> {
  return { ...options, enable };
}

/** A plan as a Connect message. */
export const planMessage = fromRow<PlanRow>().toMessage(server.PlanSchema, {});

/** A region as a Connect message. */
export const regionMessage = fromRow<RegionRow>().toMessage(server.RegionSchema, {});

/** Units of a plan in a region. */
export const stockMessage = fromRow<StockRow>().toMessage(server.StockEntrySchema, {
  plan: ({ plan }) => planMessage(plan),
  region: ({ region }) => regionMessage(region),
});

/** A distribution as a Connect message. */
export const distroMessage = fromRow<Distro>().toMessage(server.DistroSchema, {});
