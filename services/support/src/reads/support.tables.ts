import { table, type Schema } from "@hostledger/read";

export const ticketTables = {
  tickets: table({
    columns: {
      id: "integer",
      /** Null for a ticket that only staff see. */
      account_id: "integer?",
      title: "text",
      message: "text",
      /** `open` or `closed`. */
      status: "text",
      priority: "text",
      server_id: "integer?",
      /** True if opened by a request; false if opened by an event. */
      requested: "boolean",
      created_at: "text",
      updated_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }, { columns: ["status", "id"] }],
  }),
  ticket_comments: table({
    columns: {
      id: "integer",
      ticket_id: "integer",
      /** Null for staff. */
      account_id: "integer?",
      message: "text",
      created_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["ticket_id", "id"] }],
  }),
};

/** Names of customers and owners of servers. */
export const customerTables = {
  customers: table({ columns: { id: "integer", name: "text" }, primaryKey: ["id"] }),
  servers: table({ columns: { id: "integer", account_id: "integer" }, primaryKey: ["id"] }),
};

/** Causes whose ticket is not open yet, ended causes not yet reported on their ticket, and accounts of runs. */
export const causeTables = {
  ticket_causes: table({
    columns: {
      cause: "text",
      /** Null if the run determines the account, or only staff see the ticket. */
      account_id: "integer?",
      run: "text?",
      title: "text",
      message: "text",
      priority: "text",
    },
    primaryKey: ["cause"],
  }),
  /** Causes that can end by themselves, such as a missing zone, until their ticket reports the end. */
  followed_causes: table({
    columns: {
      cause: "text",
      /** Null until the ticket is open. */
      ticket_id: "integer?",
      /** True if the cause has ended, for example because the zone exists. */
      is_over: "boolean",
    },
    primaryKey: ["cause"],
  }),
  run_accounts: table({
    columns: {
      /** Id of a run, or of a domain's delivery. */
      run: "text",
      /** Null for a delivery, whose suspension event contains the account. */
      account_id: "integer?",
      /** Revision at which staff last resumed the run; null if never. */
      resumed_revision: "integer?",
      is_over: "boolean",
    },
    primaryKey: ["run"],
  }),
};

export type SupportSchema = Schema<typeof ticketTables & typeof customerTables & typeof causeTables>;

/** A row without its position. */
export type Row<Table extends keyof SupportSchema> = Omit<SupportSchema[Table], "log_position">;

export type TicketRow = Row<"tickets">;
