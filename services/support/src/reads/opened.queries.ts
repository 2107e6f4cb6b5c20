import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/store/personal-data";

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
/** Personal columns of comments; comments of staff have no name. */
const ofAuthors: PersonalColumns<CommentRow> = {
  account: ({ account_id }) => account_id,
  texts: { name: "name" },
};
const ofCustomers: PersonalColumns<CustomerRow> = { account: ({ id }) => id, texts: { name: "name" } };

/** Wraps the queries to decrypt texts. Tables store texts sealed, so destroying a key suffices to erase. */
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
