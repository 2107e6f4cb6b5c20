import { transferMethod } from "@hostledger/core";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedSelection } from "@hostledger/rpc";

import type { AccountSchema } from "./account.tables.ts";

/** A payment by a customer. */
export type PaymentRow = Omit<AccountSchema["payments"], "log_position">;

export interface PaymentQueries {
  /** Returns the selected payments in the requested order. */
  selectedPayments(accountId: number, selection: RequestedSelection): Promise<readonly PaymentRow[]>;
  paymentById(paymentId: number): Promise<PaymentRow | undefined>;
  /** Returns payments through providers whose settlement is of a span of time, by time: those behind one, at most so many. */
  settledPayments(asked: SettledSpan): Promise<readonly PaymentRow[]>;
  /** Returns the account that stored a method; undefined for an unknown one. */
  accountOfMethod(methodId: number): Promise<number | undefined>;
}

/** A span of time (ISO 8601 UTC), and the last payment of the page before. */
export type SettledSpan = Readonly<{
  /** Start of the span, or `settled_at` of the last payment of the page before. */
  from: string;
  /** Number of that payment; 0 for the first page. */
  afterId: number;
  /** End of the span, which does not belong to it. */
  before: string;
  limit: number;
}>;

type SelectionOf = { readonly accountId: number } & Pick<
  RequestedSelection,
  "afterId" | "limit" | "status" | "from" | "before"
>;

/** Prepares the queries once. */
export function paymentQueries(database: ReadModelDatabase<AccountSchema>): PaymentQueries {
  const selected = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<SelectionOf>) =>
      db
        .selectFrom("payments")
        .selectAll()
        .where("account_id", "=", parameter("accountId"))
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .where((is) => is.or([is("state", "=", parameter("status")), is(parameter("status"), "=", "")]))
        .where("created_at", ">=", parameter("from"))
        .where("created_at", "<", parameter("before"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const [oldestFirst, newestFirst] = [selected("asc"), selected("desc")];
  const byId = database.prepared((db, parameter: ParameterOf<{ paymentId: number }>) =>
    db.selectFrom("payments").selectAll().where("id", "=", parameter("paymentId")),
  );
  const settled = database.prepared((db, parameter: ParameterOf<SettledSpan>) =>
    db
      .selectFrom("payments")
      .selectAll()
      .where((is) =>
        is.or([
          is("settled_at", ">", parameter("from")),
          is.and([is("settled_at", "=", parameter("from")), is("id", ">", parameter("afterId"))]),
        ]),
      )
      .where("settled_at", "<", parameter("before"))
      .where("method", "!=", transferMethod)
      .orderBy("settled_at")
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const byMethod = database.prepared((db, parameter: ParameterOf<{ methodId: number }>) =>
    db.selectFrom("payments").select("account_id").where("stored_method_id", "=", parameter("methodId")),
  );
  return {
    selectedPayments: (accountId, { descending, afterId, limit, status, from, before }) =>
      (descending ? newestFirst : oldestFirst).all({ accountId, afterId, limit, status, from, before }),
    paymentById: (paymentId) => byId.first({ paymentId }),
    settledPayments: (asked) => settled.all(asked),
    accountOfMethod: async (methodId) => (await byMethod.first({ methodId }))?.account_id,
  };
}
