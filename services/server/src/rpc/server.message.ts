import type { MessageInitShape } from "@bufbuild/protobuf";
import { serverEndsAt, type Distro, type ServerTerm } from "@hostledger/core";
import { admin, server } from "@hostledger/protocol";
import type { FirewallOptions } from "@hostledger/providers";
import { fromRow } from "@hostledger/rpc";

import type { PlanRow, RegionRow, StockRow } from "../reads/catalogue.queries.ts";
import type { FirewallRuleRow, ServerRow } from "../reads/server.queries.ts";

export type ServerMessage = (row: ServerRow) => MessageInitShape<typeof server.ServerSchema>;

/** Creates the converter of servers. @param terminationDays days from expiry to termination. */
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

export const staffServerMessage = fromRow<ServerRow>().toMessage(admin.StaffServerSchema, {});

interface PlacedRule extends Omit<FirewallRuleRow, "server_id" | "rule_id" | "ordinal" | "enable"> {
  readonly enable: boolean | number;
  readonly pos: number;
  readonly provider: boolean;
}

export const firewallRuleMessage = fromRow<PlacedRule>().toMessage(server.FirewallRuleSchema, {});

/** Returns the node's options with the enabled flag of the events. */
export function firewallOptionsMessage(
  options: FirewallOptions,
  enable: boolean,
): MessageInitShape<typeof server.FirewallOptionsSchema> {
  return { ...options, enable };
}

export const planMessage = fromRow<PlanRow>().toMessage(server.PlanSchema, {});

export const regionMessage = fromRow<RegionRow>().toMessage(server.RegionSchema, {});

export const stockMessage = fromRow<StockRow>().toMessage(server.StockEntrySchema, {
  plan: ({ plan }) => planMessage(plan),
  region: ({ region }) => regionMessage(region),
});

export const distroMessage = fromRow<Distro>().toMessage(server.DistroSchema, {});
