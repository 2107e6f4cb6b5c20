import type { runTables } from "@hostledger/work/process-runs";
import { workTables, type WorkSchema } from "@hostledger/work/work-table";
import { table, type Builds, type Schema } from "@hostledger/read";

/** Registered domains, and the DNS records of their managed zones. */
export const domainTables = {
  domains: table({
    columns: {
      id: "integer",
      account_id: "integer",
      domain_name: "text",
      /** Set by staff and by expiry; `domainStatusOf` derives the shown status. */
      suspended: "boolean",
      suspension_reason: "text?",
      /** True if the domain does not resolve, because the registrar holds it or its zone is withdrawn. */
      offline: "boolean",
      transferring: "boolean",
      expired: "boolean",
      provider: "text",
      auto_renew: "boolean",
      whois_privacy: "boolean",
      lock_status: "boolean",
      uses_service_nameservers: "boolean",
      /** JSON array of host names. */
      nameservers: "text",
      /** Null until the registrar reports the domain of a transfer; `expiry_date` too. */
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

/**
 * The work on domains (ADR 0180). A delivery of a new domain, or a change in progress, also has what staff see of it. A
 * delivery's row exists from the reservation until nameservers or zone are ready.
 */
export const domainWorkTables = {
  work: table({
    ...workTables.work,
    columns: {
      ...workTables.work.columns,
      /** Run of the registration or transfer, or id of the change; null for work that staff do not see. */
      run: "text?",
      process: "text?",
      /** `reserved` until the domain exists; then `running`, `waiting`, or `parked` for staff. */
      status: "text?",
      step: "text?",
      started_at: "text?",
      reason: "text?",
    },
    indexes: [{ columns: ["due_at"] }, { columns: ["awaits_funds"] }, { columns: ["run"] }],
  }),
  /** Registration runs that wait for staff (`parked`) or that staff ended (`abandoned`). */
  stopped_runs: table({ columns: { run: "text", status: "text" }, primaryKey: ["run"] }),
};

export const priceTables = {
  prices: table({
    columns: {
      tld: "text",
      registration_cents: "integer",
      renewal_cents: "integer",
      transfer_cents: "integer",
      active: "boolean",
      /** Null for the default registrar. */
      registrar: "text?",
    },
    primaryKey: ["tld"],
  }),
  /** Announced prices, future or in force since the last set prices. */
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
  /** Life cycles of extensions that differ from the default. */
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

export type DomainSchema = Schema<
  typeof domainTables & typeof domainWorkTables & typeof priceTables & typeof runTables
> &
  Builds &
  WorkSchema;
