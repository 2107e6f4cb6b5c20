import type { runTables } from "@hostledger/work/process-runs";
import type { WorkSchema } from "@hostledger/work/work-table";
import { table, type Schema } from "@hostledger/read";

/** All servers except failed orders, terminated servers included, with their firewall rules. */
export const serverTables = {
  servers: table({
    columns: {
      id: "integer",
      account_id: "integer",
      order_id: "text",
      plan_id: "integer",
      region_id: "integer",
      distro: "text",
      /** `provisioning`, `active`, `suspended`, `terminating` or `terminated`. */
      status: "text",
      /** Empty during provisioning, like `node` and `rdns`. */
      ip_address: "text",
      node: "text",
      rdns: "text",
      hostname: "text?",
      whitelisted: "boolean",
      firewall_enabled: "boolean",
      created_at: "text",
      expiry_date: "text",
      /** True if the server ends with its paid term. */
      cancelled: "boolean",
      auto_renew: "boolean",
      /** Null unless suspended. */
      suspended_at: "text?",
      /** True if staff hold the server; then no renewal lifts the suspension. */
      held: "boolean",
      hold_reason: "text?",
      /** Internal note of staff at the suspension. */
      staff_reason: "text?",
      /** Time when staff last lifted a suspension. */
      released_at: "text?",
      /** Time of the last change of the node's desired state: firewall or power. */
      node_changed_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }, { columns: ["node_changed_at", "id"] }],
  }),
  firewall_rules: table({
    columns: {
      server_id: "integer",
      rule_id: "text",
      /** Ascending number of the rule; positions follow this order. */
      ordinal: "integer",
      type: "text",
      action: "text",
      proto: "text",
      dport: "text",
      sport: "text",
      source: "text",
      dest: "text",
      comment: "text",
      enable: "boolean",
    },
    primaryKey: ["server_id", "rule_id"],
    indexes: [{ columns: ["server_id", "ordinal"] }],
  }),
};

/** Plans on sale and retired plans. */
export const planTables = {
  plans: table({
    columns: {
      id: "integer",
      title: "text",
      cores: "integer",
      memory_gb: "integer",
      storage_gb: "integer",
      /** Gross price of a month in cents (EUR). */
      price_cents: "integer",
      /** True if no longer sold. */
      retired: "boolean",
    },
    primaryKey: ["id"],
  }),
  /** Announced prices, future or in force since the plan's last edit. */
  announced_plan_prices: table({
    columns: {
      id: "integer",
      /** Gross price of a month in cents (EUR). */
      announced_cents: "integer",
      valid_from: "text",
    },
    primaryKey: ["id"],
  }),
};

export const regionTables = {
  regions: table({
    columns: { id: "integer", code: "text", location: "text" },
    primaryKey: ["id"],
  }),
};

/** Units available for orders. */
export const stockTables = {
  stock: table({
    columns: { plan_id: "integer", region_id: "integer", units: "integer" },
    primaryKey: ["plan_id", "region_id"],
  }),
};

export type ServerSchema = Schema<
  typeof serverTables & typeof planTables & typeof regionTables & typeof stockTables & typeof runTables
> &
  WorkSchema;
