/** Where stored events hold personal data: the member that names the account, and the texts about it. */
export interface PersonalFields {
  readonly account: string;
  readonly texts: readonly string[];
}

/**
 * By stored type. Earlier versions that do not name the account are not here: they were written before there were keys, and
 * read as they are.
 */
export const personalFields: ReadonlyMap<string, PersonalFields> = new Map([
  ["AccountOpened.v1", { account: "accountId", texts: ["name"] }],
  ["TicketOpened.v1", { account: "accountId", texts: ["title", "message"] }],
  ["TicketReplied.v2", { account: "ticketAccountId", texts: ["message"] }],
  ["RequestAnswered.v2", { account: "accountId", texts: ["body"] }],
]);
