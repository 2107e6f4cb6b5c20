import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage } from "@hostledger/rpc";

import type { SupportSchema, TicketRow } from "./support.tables.ts";

/** Filter of the staff's tickets. Every field has a value, so that one prepared query suffices. */
export interface StaffTickets {
  /** 0 means all accounts. */
  readonly accountId: number;
  /** 1 selects only tickets without an account. */
  readonly staffOnly: number;
  /** Empty means all statuses. */
  readonly status: string;
  /** Empty means all priorities. */
  readonly priority: string;
  /** Opened at this instant or later. */
  readonly from: string;
  /** Opened before this instant. */
  readonly before: string;
}

export interface StaffTicketQueries {
  /** Returns tickets, oldest first. */
  staffTickets(wanted: StaffTickets, page: RequestedPage): Promise<readonly TicketRow[]>;
}

type Asked = Pick<StaffTickets, keyof StaffTickets> & Pick<RequestedPage, keyof RequestedPage>;

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
