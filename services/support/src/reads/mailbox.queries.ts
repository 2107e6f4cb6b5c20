import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/personal-data";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { NoticeSchema } from "./notice.tables.ts";

/** An account that is told of notices, from a place of the log on. */
export interface SubscriberRow {
  readonly account_id: number;
  /** A JSON array; null for every kind. */
  readonly kinds: string | null;
  readonly created_at: string;
  readonly created_position: number;
}

/** Where an account is written to now. */
interface Mailbox {
  readonly email: string;
  /** ISO 3166-1 alpha-2; empty where it is not known. */
  readonly country: string;
}

/** What is known of where customers are written to. */
export interface MailboxQueries {
  /** Accounts of these, since their profiles first said something, whose profile has an address, or one that does not open, and whose person was not erased. */
  mailboxesOf(accountIds: readonly number[]): Promise<readonly SubscriberRow[]>;
  /** Opens what the account's profile says now; undefined where it has no address that can be read. */
  mailboxOf(accountId: number): Promise<Mailbox | undefined>;
}

const ofMailboxes: PersonalColumns<Mailbox & { readonly account_id: number }> = {
  account: ({ account_id }) => account_id,
  texts: { email: "email", country: "country" },
};

/** Prepares the queries, once. */
export function queriesOfMailboxes(
  database: ReadModelDatabase<NoticeSchema>,
  keys: TextKeys,
): MailboxQueries {
  const { queries } = database;
  const last = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db
      .selectFrom("notice_mailboxes")
      .select(["account_id", "email", "country"])
      .where("account_id", "=", parameter("accountId"))
      .orderBy("position", "desc")
      .limit(1),
  );
  return {
    async mailboxesOf(accountIds) {
      if (accountIds.length === 0) return [];
      const rows = await queries
        .selectFrom("notice_mailboxes")
        .innerJoin(
          (db) =>
            db
              .selectFrom("notice_mailboxes")
              .select((row) => [
                "account_id",
                row.fn.min("changed_at").as("created_at"),
                row.fn.min("position").as("created_position"),
                row.fn.max("position").as("last_position"),
              ])
              .where("account_id", "in", accountIds)
              .groupBy("account_id")
              .as("spans"),
          (join) =>
            join
              .onRef("spans.account_id", "=", "notice_mailboxes.account_id")
              .onRef("spans.last_position", "=", "notice_mailboxes.position"),
        )
        .leftJoin("notice_mail_kinds", "notice_mail_kinds.account_id", "notice_mailboxes.account_id")
        .select([
          "notice_mailboxes.account_id",
          "email",
          "country",
          "kinds",
          "created_at",
          "created_position",
        ])
        .where("notice_mailboxes.account_id", "not in", (erased) =>
          erased.selectFrom("erased_accounts").select("erased_accounts.id"),
        )
        .execute();
      const opened = await openRows<(typeof rows)[number]>(keys, rows, ofMailboxes);
      return opened.filter(({ email }) => email !== "");
    },
    async mailboxOf(accountId) {
      const row = await last.first({ accountId });
      const [opened] = row === undefined ? [] : await openRows(keys, [row], ofMailboxes);
      // What is erased, or does not open, reads a word in brackets.
      return opened?.email.includes("@") === true ? opened : undefined;
    },
  };
}
