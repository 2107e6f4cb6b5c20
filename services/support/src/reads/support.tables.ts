import { table, type Schema } from "@hostledger/projections";

/** Every ticket with its comments. */
export const ticketTables = {
  tickets: table({
    columns: {
      id: "integer",
      /** Null where it is for staff alone. */
      account_id: "integer?",
      title: "text",
      message: "text",
      /** `open` or `closed`. */
      status: "text",
      priority: "text",
      server_id: "integer?",
      /** A request opened it, and no fact did. */
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

/** Who the customers are, and whose server is whose. */
export const customerTables = {
  customers: table({ columns: { id: "integer", name: "text" }, primaryKey: ["id"] }),
  servers: table({ columns: { id: "integer", account_id: "integer" }, primaryKey: ["id"] }),
};

/** Facts that need a ticket, until it is opened; what is still to be said on it; and whose each process run is. */
export const causeTables = {
  ticket_causes: table({
    columns: {
      cause: "text",
      /** Null where the run tells it, and where the ticket is for staff alone. */
      account_id: "integer?",
      run: "text?",
      title: "text",
      message: "text",
      priority: "text",
    },
    primaryKey: ["cause"],
  }),
  /** Causes that come to an end by themselves (a zone that could not be created), until their ticket says that they have. */
  followed_causes: table({
    columns: {
      cause: "text",
      /** Null until it is opened. */
      ticket_id: "integer?",
      /** It has come to its end: the zone is there now. */
      is_over: "boolean",
    },
    primaryKey: ["cause"],
  }),
  run_accounts: table({
    columns: {
      /** A run, or the delivery of a domain. */
      run: "text",
      /** Null for a delivery: its suspension says whose it is. */
      account_id: "integer?",
      /** Where in its stream staff last let it go on; null where they never did. */
      resumed_revision: "integer?",
      is_over: "boolean",
    },
    primaryKey: ["run"],
  }),
};

/** The support service's read models as queries see them. */
export type SupportSchema = Schema<typeof ticketTables & typeof customerTables & typeof causeTables>;

/** A row as it is read. */
export type Row<Table extends keyof SupportSchema> = Omit<SupportSchema[Table], "log_position">;

/** A ticket as it is read. */
export type TicketRow = Row<"tickets">;
