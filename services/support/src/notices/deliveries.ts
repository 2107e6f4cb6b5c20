import type { ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";
import type { Compilable, Kysely } from "kysely";

import { createDeliveryTable } from "./delivery.table.ts";

/** One notice for one receiver. */
export interface Delivery {
  readonly id: number;
  /** The receiver: `webhook-7`. */
  readonly target: string;
  readonly account_id: number;
  readonly notice_id: string;
  readonly kind: string;
  /** Deliveries to one receiver about one resource are sent in the order of their ids. */
  readonly resource: string;
  readonly body: string;
  /** `pending`, `delivered` or `failed`. */
  readonly status: string;
  readonly attempts: number;
  readonly next_at: string;
  /** Since when it is tried. */
  readonly tried_since: string;
  readonly last_at: string | null;
  /** Status of the last answer; null where there was none. */
  readonly answer: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly created_at: string;
}

/** A notice that shall go to a receiver. */
export type NewDelivery = Pick<
  Delivery,
  "id" | "target" | "account_id" | "notice_id" | "kind" | "resource" | "body" | "created_at"
>;

export interface AttemptRecord {
  readonly at: string;
  readonly answer: number | null;
  /** Null: it was taken. */
  readonly error: string | null;
  /** Time of the next attempt; null: none. */
  readonly nextAt: string | null;
}

/**
 * Schema of the delivery table, which is not part of the read models: no event records the outcome of a delivery,
 * and no rebuild changes it (ADR 0096).
 */
export type DeliverySchema = Readonly<Record<"notice_deliveries", Delivery>>;

/** Notices on their way, kept where a restart finds them. */
export interface Deliveries {
  /** Adds those that are not there yet, by receiver and notice. @returns how many were added */
  add(wanted: readonly Omit<NewDelivery, "id">[], nextId: () => Promise<number>): Promise<number>;
  /** Returns when the latest delivery was added; undefined if there is none. */
  lastAddedAt(): Promise<string | undefined>;
  /** Of each resource the oldest delivery that the receiver has not taken yet, the first due first. */
  waiting(target: string, limit: number): Promise<readonly Delivery[]>;
  attempted(id: number, record: AttemptRecord): Promise<void>;
  /** Returns whether the receiver accepted anything since an instant. */
  hasTakenSince(target: string, at: string): Promise<boolean>;
  /**
   * Gives up deliveries that wait for a receiver.
   * @param until only those that were first tried at this instant or earlier
   */
  giveUp(target: string, error: string, until?: string): Promise<void>;
  of(target: string, selection: RequestedSelection): Promise<readonly Delivery[]>;
  /** Returns an account's deliveries to every receiver, by id. */
  ofAccount(accountId: number, page: RequestedPage): Promise<readonly Delivery[]>;
  byId(id: number): Promise<Delivery | undefined>;
  ofNotice(noticeId: string): Promise<readonly Delivery[]>;
  /** Makes a receiver's waiting deliveries due at once. */
  hasten(target: string, at: string): Promise<void>;
  /** Records that an accepted mail bounced: its delivery has failed. */
  cameBack(id: number, error: string): Promise<void>;
  /** Sends a delivery again. @param target only for this receiver. @returns false if there is no such delivery. */
  resend(id: number, at: string, target?: string): Promise<boolean>;
  /** Deletes deliveries that were settled before an instant. */
  forgetBefore(at: string): Promise<void>;
}

type Database = ReadModelDatabase<DeliverySchema>;

/** Rows that are looked for with one statement. */
const rowsAtOnce = 200;

/** Opens the table, and makes it where it is not there yet. */
export async function openDeliveries(database: Database): Promise<Deliveries> {
  const { storage, queries } = database;
  const compiler = storage.compiler.$extendTables<DeliverySchema>();
  await createDeliveryTable(storage);
  // Not `run`, which is for the one process that keeps the read models.
  const write: Write = (statement) => storage.exclusively(() => storage.connection.rows(statement.compile()));

  async function unknownOf(wanted: readonly Omit<NewDelivery, "id">[]): Promise<Omit<NewDelivery, "id">[]> {
    const ids = [...new Set(wanted.map(({ notice_id }) => notice_id))];
    const found = await queries
      .selectFrom("notice_deliveries")
      .select(["target", "notice_id"])
      .where("notice_id", "in", ids)
      .execute();
    const known = new Set(found.map(({ target, notice_id }) => `${target}/${notice_id}`));
    // Several events may be one notice.
    return wanted.filter(({ target, notice_id }) => {
      const name = `${target}/${notice_id}`;
      const isNew = !known.has(name);
      known.add(name);
      return isNew;
    });
  }

  return {
    async add(wanted, nextId) {
      let added = 0;
      for (let from = 0; from < wanted.length; from += rowsAtOnce) {
        const unknown = await unknownOf(wanted.slice(from, from + rowsAtOnce));
        for (const delivery of unknown) {
          const id = await nextId();
          const start = { status: "pending", attempts: 0, last_at: null, answer: null, error: null };
          const { created_at: at } = delivery;
          await write(
            compiler
              .insertInto("notice_deliveries")
              .values({ ...delivery, ...start, id, next_at: at, tried_since: at })
              .onConflict((conflict) => conflict.columns(["target", "notice_id"]).doNothing()),
          );
        }
        added += unknown.length;
      }
      return added;
    },
    ...readsOf(database),
    ...changesOf(compiler, write),
  };
}

type Write = <Row>(statement: Compilable<Row>) => Promise<Row[]>;

/** Creates the changes of existing deliveries. */
function changesOf(
  compiler: Kysely<DeliverySchema>,
  write: Write,
): Pick<Deliveries, "attempted" | "giveUp" | "hasten" | "cameBack" | "resend" | "forgetBefore"> {
  return {
    async attempted(id, { at, answer, error, nextAt }) {
      const ended = error === null ? "delivered" : "failed";
      await write(
        compiler
          .updateTable("notice_deliveries")
          .set((row) => ({
            status: nextAt === null ? ended : "pending",
            attempts: row("attempts", "+", 1),
            last_at: at,
            answer,
            error,
            next_at: nextAt ?? at,
          }))
          .where("id", "=", id),
      );
    },
    async giveUp(target, error, until) {
      const waiting = compiler
        .updateTable("notice_deliveries")
        .set({ status: "failed", error })
        .where("target", "=", target)
        .where("status", "=", "pending");
      await write(until === undefined ? waiting : waiting.where("tried_since", "<=", until));
    },
    async hasten(target, at) {
      await write(
        compiler
          .updateTable("notice_deliveries")
          .set({ next_at: at })
          .where("target", "=", target)
          .where("status", "=", "pending")
          .where("next_at", ">", at),
      );
    },
    async cameBack(id, error) {
      await write(
        compiler
          .updateTable("notice_deliveries")
          .set({ status: "failed", error })
          .where("id", "=", id)
          .where("status", "!=", "pending"),
      );
    },
    async resend(id, at, target) {
      const again = compiler
        .updateTable("notice_deliveries")
        .set({ status: "pending", next_at: at, tried_since: at, attempts: 0, error: null })
        .where("id", "=", id)
        .returning("id");
      const changed = await write(target === undefined ? again : again.where("target", "=", target));
      return changed.length > 0;
    },
    async forgetBefore(at) {
      await write(
        compiler
          .deleteFrom("notice_deliveries")
          .where("created_at", "<", at)
          .where("status", "!=", "pending"),
      );
    },
  };
}

/** Creates the list of one receiver's deliveries, in the requested order. */
function listOf(queries: Database["queries"]): Deliveries["of"] {
  const all = queries.selectFrom("notice_deliveries").selectAll();
  return (target, { afterId, limit, descending, status, from, before }) =>
    all
      .where("target", "=", target)
      .where("id", descending ? "<" : ">", afterId)
      .where("created_at", ">=", from)
      .where("created_at", "<", before)
      .$if(status !== "", (of) => of.where("status", "=", status))
      .orderBy("id", descending ? "desc" : "asc")
      .limit(limit)
      .execute();
}

function readsOf({
  queries,
}: Pick<Database, "queries">): Pick<
  Deliveries,
  "lastAddedAt" | "waiting" | "hasTakenSince" | "of" | "ofAccount" | "ofNotice" | "byId"
> {
  const all = queries.selectFrom("notice_deliveries").selectAll();
  const listed = (page: RequestedPage) => all.where("id", ">", page.afterId).orderBy("id").limit(page.limit);
  return {
    async lastAddedAt() {
      const row = await all.orderBy("id", "desc").limit(1).executeTakeFirst();
      return row?.created_at;
    },
    waiting: (target, limit) =>
      queries
        .selectFrom("notice_deliveries as one")
        .selectAll()
        .where("target", "=", target)
        .where("status", "=", "pending")
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom("notice_deliveries as earlier")
                .select("earlier.id")
                .whereRef("earlier.target", "=", "one.target")
                .whereRef("earlier.resource", "=", "one.resource")
                .where("earlier.status", "=", "pending")
                .whereRef("earlier.id", "<", "one.id"),
            ),
          ),
        )
        // What failed comes behind what was not tried yet.
        .orderBy("next_at")
        .orderBy("id")
        .limit(limit)
        .execute(),
    async hasTakenSince(target, at) {
      const row = await queries
        .selectFrom("notice_deliveries")
        .select("id")
        .where("target", "=", target)
        .where("status", "=", "delivered")
        .where("last_at", ">=", at)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    of: listOf(queries),
    byId: (id) => all.where("id", "=", id).executeTakeFirst(),
    ofNotice: (noticeId) => all.where("notice_id", "=", noticeId).execute(),
    ofAccount: (accountId, page) => listed(page).where("account_id", "=", accountId).execute(),
  };
}
