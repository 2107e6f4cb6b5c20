import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/store/personal-data";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";

import type { NoticeSchema } from "./notice.tables.ts";

/** An account that gets notices from a position on. */
export interface SubscriberRow {
  readonly account_id: number;
  /** JSON array of kinds; null for all. */
  readonly kinds: string | null;
  readonly created_at: string;
  readonly created_position: number;
}

interface Mailbox {
  readonly email: string;
  /** ISO 3166-1 alpha-2; empty if unknown. */
  readonly country: string;
}

/** Queries of customers' addresses. */
export interface MailboxQueries {
  /** Returns those accounts that have an address or unreadable texts, without erased accounts. */
  mailboxesOf(accountIds: readonly number[]): Promise<readonly SubscriberRow[]>;
  /** Returns an account's present address, decrypted; undefined if there is none or it is unreadable. */
  mailboxOf(accountId: number): Promise<Mailbox | undefined>;
}

const ofMailboxes: PersonalColumns<Mailbox & { readonly account_id: number }> = {
  account: ({ account_id }) => account_id,
  texts: { email: "email", country: "country" },
};

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
      // An erased or unreadable text is replaced by words in brackets, without "@".
      return opened?.email.includes("@") === true ? opened : undefined;
    },
  };
}
