import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";
import type { RequestedPage } from "@hostledger/rpc";

import type { SupportSchema, TicketRow } from "./support.tables.ts";

/** Which tickets staff ask for. Every field has a value, so that one prepared query serves all. */
export interface StaffTickets {
  /** 0 for everybody's. */
  readonly accountId: number;
  /** 1 for those alone that are no account's. */
  readonly staffOnly: number;
  /** Empty for every status. */
  readonly status: string;
  /** Empty for every priority. */
  readonly priority: string;
  /** Opened at this instant or later. */
  readonly from: string;
  /** Opened before this instant. */
  readonly before: string;
}

/** What staff alone ask of tickets. */
export interface StaffTicketQueries {
  /** Oldest first. */
  staffTickets(wanted: StaffTickets, page: RequestedPage): Promise<readonly TicketRow[]>;
}

type Asked = Pick<StaffTickets, keyof StaffTickets> & Pick<RequestedPage, keyof RequestedPage>;

/** Prepares the query, once. */
export function staffTicketQueries(database: ReadModelDatabase<SupportSchema>): StaffTicketQueries {
  const staffTickets = database.prepared((db, parameter: ParameterOf<Asked>) =>
    db
      .selectFrom("tickets")
      .selectAll()
      .where("id", ">", parameter("afterId"))
      .where((is) =>
        is.or([is("account_id", "=", parameter("accountId")), is(parameter("accountId"), "=", 0)]),
      )
      .where((is) => is.or([is("account_id", "is", null), is(parameter("staffOnly"), "=", 0)]))
      .where((is) => is.or([is("status", "=", parameter("status")), is(parameter("status"), "=", "")]))
      .where((is) => is.or([is("priority", "=", parameter("priority")), is(parameter("priority"), "=", "")]))
      .where("created_at", ">=", parameter("from"))
      .where("created_at", "<", parameter("before"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  return { staffTickets: (wanted, page) => staffTickets.all({ ...wanted, ...page }) };
}
