import type { runTables } from "@hostledger/process-manager/process-runs";
import type { WorkSchema } from "@hostledger/process-manager/work-table";
import { table, type Builds, type Schema } from "@hostledger/projections";

/** Every registered domain, and the DNS records of its managed zone. */
export const domainTables = {
  domains: table({
    columns: {
      id: "integer",
      account_id: "integer",
      domain_name: "text",
      /** Staff and time set and lift these; together they are the status that is shown (`domainStatusOf`). */
      suspended: "boolean",
      /** Why staff suspended it. */
      suspension_reason: "text?",
      /** It does not resolve: the registrar holds it, or its zone is withdrawn. */
      offline: "boolean",
      transferring: "boolean",
      expired: "boolean",
      provider: "text",
      auto_renew: "boolean",
      whois_privacy: "boolean",
      lock_status: "boolean",
      uses_service_nameservers: "boolean",
      /** A JSON array of host names. */
      nameservers: "text",
      /** Null until the registrar tells of a name that is on its way to us; so is the date of expiry. */
      registration_date: "text?",
      expiry_date: "text?",
      created_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }, { columns: ["domain_name"], unique: true }],
  }),
  dns_records: table({
    columns: {
      id: "integer",
      domain_id: "integer",
      type: "text",
      name: "text",
      value: "text",
      ttl_seconds: "integer",
      priority: "integer?",
      created_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["domain_id", "id"] }],
  }),
};

/** Changes that another provider is asked for, one at most for a domain: what a new owner goes on with at start-up. */
export const changeTables = {
  pending_changes: table({
    columns: {
      domain_id: "integer",
      domain_name: "text",
      change_id: "text",
      started_at: "text",
    },
    primaryKey: ["domain_id"],
    indexes: [{ columns: ["started_at"] }],
  }),
};

/** What new domains still lack, one row at most for a name. */
export const deliveryTables = {
  deliveries: table({
    columns: {
      domain_name: "text",
      /** The registration that it belongs to. */
      run: "text",
      account_id: "integer",
      /** `reserved` until there is a domain; then `running`, `waiting`, or `parked` for staff. */
      status: "text",
      step: "text",
      started_at: "text",
      reason: "text?",
    },
    primaryKey: ["domain_name"],
    indexes: [{ columns: ["started_at"] }, { columns: ["run"] }],
  }),
  /** Runs of registrations that wait for staff (`parked`), or that staff ended (`abandoned`). */
  stopped_runs: table({ columns: { run: "text", status: "text" }, primaryKey: ["run"], indexes: [] }),
};

/** The price list. */
export const priceTables = {
  prices: table({
    columns: {
      tld: "text",
      registration_cents: "integer",
      renewal_cents: "integer",
      transfer_cents: "integer",
      active: "boolean",
      /** Null: the one that is configured for all. */
      registrar: "text?",
    },
    primaryKey: ["tld"],
  }),
  /** Prices that come into force, or have, since those in the table before were set. */
  announced_prices: table({
    columns: {
      tld: "text",
      registration_cents: "integer",
      renewal_cents: "integer",
      transfer_cents: "integer",
      active: "boolean",
      registrar: "text?",
      valid_from: "text",
    },
    primaryKey: ["tld"],
  }),
  /** What becomes of an extension's names that nobody renews, where it is not what is usual. */
  extension_life_cycles: table({
    columns: {
      tld: "text",
      grace_days: "integer",
      redemption_days: "integer",
      pending_delete_days: "integer",
      restore_cents: "integer?",
    },
    primaryKey: ["tld"],
  }),
};

/** The domain service's read models as queries see them. */
export type DomainSchema = Schema<
  typeof domainTables & typeof changeTables & typeof deliveryTables & typeof priceTables & typeof runTables
> &
  Builds &
  WorkSchema;
