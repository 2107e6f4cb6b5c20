import { commentLimit } from "@hostledger/core";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";

import { staffTicketQueries, type StaffTicketQueries } from "./staff-tickets.queries.ts";
import type { Row, SupportSchema, TicketRow } from "./support.tables.ts";

export type CustomerRow = Row<"customers">;

/** A comment with its customer's name, null for staff. */
export type CommentRow = Row<"ticket_comments"> & {
  readonly name: string | null;
  /** Account of the ticket; null if the ticket does not exist yet. */
  readonly ticket_account_id: number | null;
};

/** An event for which a ticket must be opened. */
export interface CauseRow {
  readonly cause: string;
  readonly account_id: number | null;
  /** Run that determines the account. */
  readonly run: string | null;
  readonly run_account_id: number | null;
  /** Revision in the run's stream at which staff last resumed it; null if never, or without a run. */
  readonly resumed_revision: number | null;
  readonly title: string;
  readonly message: string;
  readonly priority: string;
  readonly log_position: number;
}

/** An ended cause whose ticket does not say so yet. */
export interface EndedCauseRow {
  readonly cause: string;
  readonly ticket_id: number;
  readonly log_position: number;
}

/** Place in the list of ended causes; one event may end several. */
export type EndedCausePlace = Pick<EndedCauseRow, "log_position" | "cause">;

/** Place before all ended causes. */
export const fromTheFirstEnd: EndedCausePlace = { log_position: -1, cause: "" };

/** Filter of an account's tickets. */
export interface WantedTickets {
  readonly accountId: number;
  readonly openOnly: boolean;
}

export interface SupportQueries extends StaffTicketQueries {
  ticketById(id: number): Promise<TicketRow | undefined>;
  /** Returns tickets, oldest first. */
  ticketsOf(wanted: WantedTickets, page: RequestedPage): Promise<readonly TicketRow[]>;
  selectedTickets(accountId: number, selection: RequestedSelection): Promise<readonly TicketRow[]>;
  ticketCount(wanted: WantedTickets): Promise<number>;
  /** Returns comments, oldest first. */
  commentsOf(ticketId: number): Promise<readonly CommentRow[]>;
  lastCommentOf(ticketId: number): Promise<CommentRow | undefined>;
  /** Counts an account's open tickets requested by itself or by staff for it. */
  openTicketCount(accountId: number): Promise<number>;
  customerById(id: number): Promise<CustomerRow | undefined>;
  /** Returns customers above this id, by id. */
  customersAfter(afterId: number, limit: number): Promise<readonly CustomerRow[]>;
  ownerOfServer(serverId: number): Promise<number | undefined>;
  /** Returns at most `limit` causes after a position, in order. */
  causesAfter(position: number, limit: number): Promise<readonly CauseRow[]>;
  /** Returns at most `limit` ended causes due for a comment after a place, in order. */
  endedCausesAfter(place: EndedCausePlace, limit: number): Promise<readonly EndedCauseRow[]>;
}

type Database = ReadModelDatabase<SupportSchema>;

export function supportQueries(database: Database): SupportQueries {
  return {
    ...queriesOfTickets(database),
    ...staffTicketQueries(database),
    ...queriesOfAnAccount(database),
    ...selectedTickets(database),
    ...queriesOfComments(database),
    ...queriesOfCustomers(database),
    ...queriesOfCauses(database),
  };
}

type TicketQueries = Pick<SupportQueries, "ticketById" | "openTicketCount">;

function queriesOfTickets(database: Database): TicketQueries {
  const ticketById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("tickets").selectAll().where("id", "=", parameter("id")),
  );
  // PostgreSQL counts in 64 bits and returns text.
  const openTicketCount = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db
      .selectFrom("tickets")
      .select((row) => row.fn.countAll<number | string>().as("tickets"))
      .where("account_id", "=", parameter("accountId"))
      .where("status", "=", "open")
      .where("requested", "=", 1),
  );
  return {
    ticketById: (id) => ticketById.first({ id }),
    openTicketCount: async (accountId) => Number((await openTicketCount.first({ accountId }))?.tickets ?? 0),
  };
}

type SelectionOf = { readonly accountId: number } & Omit<
  RequestedSelection,
  "descending" | "name" | "domainId"
>;

function selectedTickets(database: Database): Pick<SupportQueries, "selectedTickets"> {
  const selected = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<SelectionOf>) =>
      db
        .selectFrom("tickets")
        .selectAll()
        .where("account_id", "=", parameter("accountId"))
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .where((is) => is.or([is("status", "=", parameter("status")), is(parameter("status"), "=", "")]))
        .where("created_at", ">=", parameter("from"))
        .where("created_at", "<", parameter("before"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const [oldestFirst, newestFirst] = [selected("asc"), selected("desc")];
  return {
    selectedTickets: (accountId, { descending, afterId, limit, status, from, before }) =>
      (descending ? newestFirst : oldestFirst).all({ accountId, afterId, limit, status, from, before }),
  };
}

type WantedParameters = Record<"accountId" | "openOnly", number>;

function queriesOfAnAccount(database: Database): Pick<SupportQueries, "ticketsOf" | "ticketCount"> {
  const wantedTickets = (db: Database["queries"], parameter: ParameterOf<WantedParameters>) =>
    db
      .selectFrom("tickets")
      .where("account_id", "=", parameter("accountId"))
      .where((where) => where.or([where("status", "=", "open"), where(parameter("openOnly"), "=", 0)]));
  const ticketsOf = database.prepared(
    (db, parameter: ParameterOf<WantedParameters & { afterId: number; limit: number }>) =>
      wantedTickets(db, parameter)
        .selectAll()
        .where("id", ">", parameter("afterId"))
        .orderBy("id")
        .limit(parameter("limit")),
  );
  const ticketCount = database.prepared((db, parameter: ParameterOf<WantedParameters>) =>
    wantedTickets(db, parameter).select((row) => row.fn.countAll<number | string>().as("tickets")),
  );
  const asked = ({ accountId, openOnly }: WantedTickets): WantedParameters => ({
    accountId,
    openOnly: openOnly ? 1 : 0,
  });
  return {
    ticketsOf: (wanted, page) => ticketsOf.all({ ...asked(wanted), ...page }),
    // PostgreSQL counts in 64 bits and returns text.
    ticketCount: async (wanted) => Number((await ticketCount.first(asked(wanted)))?.tickets ?? 0),
  };
}

function queriesOfComments(database: Database): Pick<SupportQueries, "commentsOf" | "lastCommentOf"> {
  const comments = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<{ ticketId: number; limit: number }>) =>
      db
        .selectFrom("ticket_comments")
        .leftJoin("customers", "customers.id", "ticket_comments.account_id")
        .leftJoin("tickets", "tickets.id", "ticket_comments.ticket_id")
        .select([
          "ticket_comments.id",
          "ticket_comments.ticket_id",
          "ticket_comments.account_id",
          "ticket_comments.message",
          "ticket_comments.created_at",
          "customers.name",
          "tickets.account_id as ticket_account_id",
        ])
        .where("ticket_comments.ticket_id", "=", parameter("ticketId"))
        .orderBy("ticket_comments.id", direction)
        .limit(parameter("limit")),
    );
  const oldestFirst = comments("asc");
  const newestFirst = comments("desc");
  return {
    commentsOf: (ticketId) => oldestFirst.all({ ticketId, limit: commentLimit }),
    lastCommentOf: (ticketId) => newestFirst.first({ ticketId, limit: 1 }),
  };
}

function queriesOfCustomers(
  database: Database,
): Pick<SupportQueries, "customerById" | "customersAfter" | "ownerOfServer"> {
  const customersAfter = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("customers")
      .selectAll()
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const customerById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("customers").selectAll().where("id", "=", parameter("id")),
  );
  const serverById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("servers").selectAll().where("id", "=", parameter("id")),
  );
  return {
    customerById: (id) => customerById.first({ id }),
    customersAfter: (afterId, limit) => customersAfter.all({ afterId, limit }),
    ownerOfServer: async (id) => (await serverById.first({ id }))?.account_id,
  };
}

function queriesOfCauses(database: Database): Pick<SupportQueries, "causesAfter" | "endedCausesAfter"> {
  const causes = database.prepared((db, parameter: ParameterOf<{ position: number; limit: number }>) =>
    db
      .selectFrom("ticket_causes")
      .leftJoin("run_accounts", "run_accounts.run", "ticket_causes.run")
      .select([
        "ticket_causes.cause",
        "ticket_causes.account_id",
        "ticket_causes.run",
        "run_accounts.account_id as run_account_id",
        "run_accounts.resumed_revision",
        "ticket_causes.title",
        "ticket_causes.message",
        "ticket_causes.priority",
        "ticket_causes.log_position",
      ])
      .where("ticket_causes.log_position", ">", parameter("position"))
      // A run that was suspended again and has ended needs no ticket.
      .where((row) => row.or([row("resumed_revision", "is", null), row("is_over", "=", 0)]))
      .orderBy("ticket_causes.log_position")
      .limit(parameter("limit")),
  );
  const endedCauses = database.prepared(
    (db, parameter: ParameterOf<{ position: number; cause: string; limit: number }>) =>
      db
        .selectFrom("followed_causes")
        .select((row) => ["cause", row.ref("ticket_id").$notNull().as("ticket_id"), "log_position"])
        .where("is_over", "=", 1)
        .where("ticket_id", "is not", null)
        .where((where) =>
          where(
            where.refTuple("log_position", "cause"),
            ">",
            where.tuple(parameter("position"), parameter("cause")),
          ),
        )
        .orderBy("log_position")
        .orderBy("cause")
        .limit(parameter("limit")),
  );
  return {
    causesAfter: (position, limit) => causes.all({ position, limit }),
    endedCausesAfter: ({ log_position: position, cause }, limit) =>
      endedCauses.all({ position, cause, limit }),
  };
}
