import { table, type Schema } from "@hostledger/projections";

/** Every registered domain, and the DNS records of its managed zone. */
export const domainTables = {
  domains: table({
    columns: {
      id: "integer",
      account_id: "integer",
      domain_name: "text",
      status: "text",
      provider: "text",
      auto_renew: "boolean",
      whois_privacy: "boolean",
      lock_status: "boolean",
      uses_service_nameservers: "boolean",
      /** A JSON array of host names. */
      nameservers: "text",
      registration_date: "text",
      expiry_date: "text",
      dns_records_count: "integer",
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

/** The price list. */
export const priceTables = {
  prices: table({
    columns: {
      tld: "text",
      registration_cents: "integer",
      renewal_cents: "integer",
      transfer_cents: "integer",
      active: "boolean",
    },
    primaryKey: ["tld"],
  }),
};

/** Process runs that have not ended. */
export const runTables = {
  process_runs: table({
    columns: {
      run: "text",
      process: "text",
      subject: "text",
      account_id: "integer",
      status: "text",
      step: "text",
      started_at: "text",
      reason: "text?",
    },
    primaryKey: ["run"],
    indexes: [{ columns: ["started_at"] }],
  }),
};

/** The domain service's read models as queries see them. */
export type DomainSchema = Schema<typeof domainTables & typeof priceTables & typeof runTables>;
