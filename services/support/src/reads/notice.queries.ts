import type { TextKeys } from "@hostledger/store/personal-data";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";

import { queriesOfMailboxes, type MailboxQueries, type SubscriberRow } from "./mailbox.queries.ts";
import type { NoticeSchema } from "./notice.tables.ts";

export interface NoticeRow {
  readonly notice_id: string;
  readonly kind: string;
  /** Null if the account is unknown. */
  readonly account_id: number | null;
  readonly resource: string;
  readonly data: string;
  readonly noticed_at: string;
  readonly position: number;
}

export type NoticePlace = Pick<NoticeRow, "position" | "notice_id" | "noticed_at">;

/** Place before all notices. */
export const beforeNotices: NoticePlace = { position: -1, notice_id: "", noticed_at: "" };

export interface WebhookRow extends SubscriberRow {
  readonly id: number;
}

export interface ExpiringRow {
  readonly id: number;
  readonly account_id: number;
  readonly name: string;
  readonly expires_at: string;
}

/** A server of a notifiable account with its paid term. */
export interface ServerTermRow {
  readonly id: number;
  readonly account_id: number;
  readonly expires_at: string;
  /** Time of the suspension; null if running. */
  readonly suspended_at: string | null;
  readonly cancelled: number;
  readonly released_at: string | null;
}

export interface NoticeQueries extends MailboxQueries {
  /** Returns at most `limit` notices after a position; fallen balances only if they crossed the threshold in force then. */
  noticesAfter(position: number, limit: number): Promise<readonly NoticeRow[]>;
  /** Returns the position before the notices since an instant; undefined if there are none. */
  positionBefore(since: string): Promise<number | undefined>;
  lastPlace(): Promise<NoticePlace>;
  /** Returns true if the log still has this notice at this position; otherwise the store was replaced. */
  hasPlace(place: NoticePlace): Promise<boolean>;
  isErased(accountId: number): Promise<boolean>;
  /** Returns enabled webhooks of accounts that are not erased, by id. */
  webhooksOf(accountIds: readonly number[]): Promise<readonly WebhookRow[]>;
  webhookById(id: number): Promise<{ readonly id: number; readonly account_id: number } | undefined>;
  /** Returns at most `limit` domains that expire after `from` up to `until`, by id, above `afterId`. */
  expiring(from: string, until: string, afterId: number, limit: number): Promise<readonly ExpiringRow[]>;
  /** Returns servers likewise, without those held by staff; includes expired servers that were suspended after `from`. */
  serverTerms(from: string, until: string, afterId: number, limit: number): Promise<readonly ServerTermRow[]>;
}

/** Prepares the queries. @param isMailSent true if accounts with an address are notified of expiries */
export function noticeQueries(
  database: ReadModelDatabase<NoticeSchema>,
  keys: TextKeys,
  isMailSent: boolean,
): NoticeQueries {
  const notices = database.prepared((db, parameter: ParameterOf<{ position: number; limit: number }>) =>
    db
      .selectFrom("notices")
      .leftJoin("notice_servers", "notice_servers.id", "notices.server_id")
      .select((row) => [
        "notices.notice_id",
        "notices.kind",
        row.fn.coalesce("notices.account_id", "notice_servers.account_id").as("account_id"),
        "notices.resource",
        "notices.data",
        "notices.noticed_at",
        "notices.position",
      ])
      .where("notices.position", ">", parameter("position"))
      .where((row) =>
        row.or([
          row("notices.fell_to_cents", "is", null),
          row.exists(
            row
              .selectFrom("notice_thresholds as threshold")
              .select("threshold.position")
              .whereRef("threshold.account_id", "=", "notices.account_id")
              .whereRef("threshold.threshold_cents", "<=", "notices.fell_from_cents")
              .whereRef("threshold.threshold_cents", ">", "notices.fell_to_cents")
              .where("threshold.position", "=", (last) =>
                last
                  .selectFrom("notice_thresholds as last")
                  .select((of) => of.fn.max("last.position").as("position"))
                  .whereRef("last.account_id", "=", "notices.account_id")
                  .whereRef("last.position", "<", "notices.position"),
              ),
          ),
        ]),
      )
      .orderBy("notices.position")
      .limit(parameter("limit")),
  );
  const first = database.prepared((db, parameter: ParameterOf<{ since: string }>) =>
    db
      .selectFrom("notices")
      .select((row) => row.fn.min("position").as("position"))
      .where("noticed_at", ">=", parameter("since")),
  );
  return {
    ...queriesOfReceivers(database),
    ...queriesOfMailboxes(database, keys),
    ...queriesOfExpiries(database, isMailSent),
    ...queriesOfPlaces(database),
    noticesAfter: (position, limit) => notices.all({ position, limit }),
    positionBefore: async (since) => {
      const position = (await first.first({ since }))?.position ?? undefined;
      return position === undefined ? undefined : position - 1;
    },
  };
}

function queriesOfPlaces(
  database: ReadModelDatabase<NoticeSchema>,
): Pick<NoticeQueries, "lastPlace" | "hasPlace"> {
  const last = database.prepared((db) =>
    db
      .selectFrom("notices")
      .select(["position", "notice_id", "noticed_at"])
      .orderBy("position", "desc")
      .limit(1),
  );
  const at = database.prepared((db, parameter: ParameterOf<{ position: number }>) =>
    db
      .selectFrom("notices")
      .select(["notice_id", "noticed_at"])
      .where("position", "=", parameter("position")),
  );
  return {
    lastPlace: async () => (await last.first({})) ?? beforeNotices,
    async hasPlace({ position, notice_id: noticeId, noticed_at: noticedAt }) {
      if (position === beforeNotices.position) return true;
      const found = await at.first({ position });
      return found?.notice_id === noticeId && found.noticed_at === noticedAt;
    },
  };
}

function queriesOfExpiries(
  database: ReadModelDatabase<NoticeSchema>,
  isMailSent: boolean,
): Pick<NoticeQueries, "expiring" | "serverTerms"> {
  const notifiable = (db: ReadModelDatabase<NoticeSchema>["queries"]) => {
    const webhooks = db.selectFrom("webhooks").select("account_id").where("disabled", "=", 0);
    return isMailSent ? webhooks.union(db.selectFrom("notice_mailboxes").select("account_id")) : webhooks;
  };
  const expiring = database.prepared(
    (db, parameter: ParameterOf<{ from: string; until: string; afterId: number; limit: number }>) =>
      db
        .selectFrom("notice_domains")
        .select(["id", "account_id", "name", "expires_at"])
        .where("expires_at", ">", parameter("from"))
        .where("expires_at", "<=", parameter("until"))
        .where("id", ">", parameter("afterId"))
        .where("account_id", "in", notifiable(db))
        .orderBy("id")
        .limit(parameter("limit")),
  );
  const serverTerms = database.prepared(
    (db, parameter: ParameterOf<{ from: string; until: string; afterId: number; limit: number }>) =>
      db
        .selectFrom("notice_server_terms")
        .select(["id", "account_id", "expires_at", "suspended_at", "cancelled", "released_at"])
        .where("held", "=", 0)
        .where((is) =>
          is.or([is("expires_at", ">", parameter("from")), is("suspended_at", ">", parameter("from"))]),
        )
        .where("expires_at", "<=", parameter("until"))
        .where("id", ">", parameter("afterId"))
        .where("account_id", "in", notifiable(db))
        .orderBy("id")
        .limit(parameter("limit")),
  );
  return {
    serverTerms: (from, until, afterId, limit) => serverTerms.all({ from, until, afterId, limit }),
    expiring: (from, until, afterId, limit) => expiring.all({ from, until, afterId, limit }),
  };
}

function queriesOfReceivers(
  database: ReadModelDatabase<NoticeSchema>,
): Pick<NoticeQueries, "isErased" | "webhooksOf" | "webhookById"> {
  const { queries } = database;
  const byId = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("webhooks").select(["id", "account_id"]).where("id", "=", parameter("id")),
  );
  const erased = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("erased_accounts").select("id").where("id", "=", parameter("id")),
  );
  return {
    isErased: async (id) => (await erased.first({ id })) !== undefined,
    webhooksOf: (accountIds) =>
      accountIds.length === 0
        ? Promise.resolve([])
        : queries
            .selectFrom("webhooks")
            .select(["id", "account_id", "kinds", "created_at", "created_position"])
            .where("account_id", "in", accountIds)
            .where("disabled", "=", 0)
            .where("account_id", "not in", (erased) =>
              erased.selectFrom("erased_accounts").select("erased_accounts.id"),
            )
            .orderBy("id")
            .execute(),
    webhookById: (id) => byId.first({ id }),
  };
}
