import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/personal-data";

import type { CommentRow, CustomerRow, SupportQueries } from "./support.queries.ts";
import type { TicketRow } from "./support.tables.ts";

const ofTickets: PersonalColumns<TicketRow> = {
  account: ({ account_id }) => account_id,
  texts: { title: "title", message: "message" },
};
const ofComments: PersonalColumns<CommentRow> = {
  account: ({ ticket_account_id }) => ticket_account_id,
  texts: { message: "message" },
};
/** Beside their comments: a comment of staff has no name. */
const ofAuthors: PersonalColumns<CommentRow> = {
  account: ({ account_id }) => account_id,
  texts: { name: "name" },
};
const ofCustomers: PersonalColumns<CustomerRow> = { account: ({ id }) => id, texts: { name: "name" } };

/**
 * The queries with the customers' texts readable. Their tables keep the texts sealed, as the log does: when a key is destroyed,
 * nothing in a read model's file has to be found and overwritten.
 */
export function openedQueries(queries: SupportQueries, keys: TextKeys): SupportQueries {
  const first = async <Row extends object>(
    row: Row | undefined,
    columns: PersonalColumns<Row>,
  ): Promise<Row | undefined> =>
    row === undefined ? undefined : (await openRows(keys, [row], columns)).at(0);
  return {
    ...queries,
    ticketById: async (id) => first(await queries.ticketById(id), ofTickets),
    ticketsOf: async (wanted, page) => openRows(keys, await queries.ticketsOf(wanted, page), ofTickets),
    selectedTickets: async (accountId, selection) =>
      openRows(keys, await queries.selectedTickets(accountId, selection), ofTickets),
    staffTickets: async (wanted, page) => openRows(keys, await queries.staffTickets(wanted, page), ofTickets),
    async commentsOf(ticketId) {
      const comments = await openRows(keys, await queries.commentsOf(ticketId), ofComments);
      return openRows(keys, comments, ofAuthors);
    },
    lastCommentOf: async (ticketId) =>
      first(await first(await queries.lastCommentOf(ticketId), ofComments), ofAuthors),
    customersAfter: async (afterId, limit) =>
      openRows(keys, await queries.customersAfter(afterId, limit), ofCustomers),
    customerById: async (id) => first(await queries.customerById(id), ofCustomers),
  };
}
