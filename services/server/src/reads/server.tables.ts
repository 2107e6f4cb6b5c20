import type { runTables } from "@hostledger/process-manager/process-runs";
import type { WorkSchema } from "@hostledger/process-manager/work-table";
import { table, type Schema } from "@hostledger/projections";

/** Every server that was ordered and did not fail, those that have ended too, and the rules of its firewall. */
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
      /** Empty while it is provisioned, as are the two after it. */
      ip_address: "text",
      node: "text",
      rdns: "text",
      hostname: "text?",
      whitelisted: "boolean",
      firewall_enabled: "boolean",
      created_at: "text",
      expiry_date: "text",
      /** It ends with its paid time. */
      cancelled: "boolean",
      auto_renew: "boolean",
      /** Null while it runs. */
      suspended_at: "text?",
      /** Staff hold it: no renewal lifts the suspension. */
      held: "boolean",
      /** Why staff hold it, for the customer. */
      hold_reason: "text?",
      /** What staff noted for themselves when they suspended it. */
      staff_reason: "text?",
      /** When staff last lifted a suspension. */
      released_at: "text?",
      /** When what its node shall do last changed: its firewall, or whether it runs. */
      node_changed_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }, { columns: ["node_changed_at", "id"] }],
  }),
  firewall_rules: table({
    columns: {
      server_id: "integer",
      rule_id: "text",
      /** Grows with each rule that is added: positions follow from its order. */
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

/** The plans that are sold, and those that were. */
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
      /** Not sold any more. */
      retired: "boolean",
    },
    primaryKey: ["id"],
  }),
  /** Prices that come into force, or have, since the plan was edited. */
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

/** The regions in which servers can be placed. */
export const regionTables = {
  regions: table({
    columns: { id: "integer", code: "text", location: "text" },
    primaryKey: ["id"],
  }),
};

/** Units that can be ordered. */
export const stockTables = {
  stock: table({
    columns: { plan_id: "integer", region_id: "integer", units: "integer" },
    primaryKey: ["plan_id", "region_id"],
  }),
};

/** The server service's read models as queries see them. */
export type ServerSchema = Schema<
  typeof serverTables & typeof planTables & typeof regionTables & typeof stockTables & typeof runTables
> &
  WorkSchema;
