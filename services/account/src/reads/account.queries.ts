import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedSelection } from "@hostledger/rpc";

import type { AccountSchema } from "./account.tables.ts";
import { archiveQueries, type ArchiveQueries } from "./archive.queries.ts";
import { paymentQueries, type PaymentQueries } from "./payment.queries.ts";

export type InvoiceRow = Omit<AccountSchema["invoices"], "log_position"> & TakenBack;

/** A charge: its invoice and the refunded amount. */
export type ChargeRow = Pick<
  AccountSchema["invoices"],
  "id" | "account_id" | "number" | "action" | "gross_cents" | "cause" | "created_at"
> & {
  /** PostgreSQL returns sums as text. */
  readonly refunded_cents: number | string | bigint | null;
};

/** Time and document number of a payment's reversal; null if not reversed. */
type TakenBack = Record<"taken_back_at" | "cancelled_by", string | null>;

export type InvoiceLineRow = Omit<AccountSchema["invoice_lines"], "log_position">;

/** A version of a customer's profile. */
export type ProfileRow = Omit<AccountSchema["profiles"], "log_position">;

export type KeyOwnerRow = Pick<AccountSchema["api_keys"], "account_id" | "key_id">;

/** Part of a list: at most `limit` rows with ids above `afterId`. */
export interface PageOf {
  readonly afterId: number;
  readonly limit: number;
}

export interface AccountQueries extends ArchiveQueries, PaymentQueries {
  /** Returns the owner of a key by its hash, revoked keys included. */
  keyByHash(keyHash: string): Promise<KeyOwnerRow | undefined>;
  keyById(keyId: number): Promise<KeyOwnerRow | undefined>;
  /** Returns documents, oldest first. */
  invoicesOf(accountId: number, page: PageOf): Promise<readonly InvoiceRow[]>;
  /** Returns the selected documents in the requested order. */
  selectedInvoices(accountId: number, selection: RequestedSelection): Promise<readonly InvoiceRow[]>;
  invoiceById(invoiceId: number): Promise<InvoiceRow | undefined>;
  /** Returns documents of all accounts, by id. */
  allInvoices(page: PageOf): Promise<readonly InvoiceRow[]>;
  invoiceByNumber(accountId: number, number: string): Promise<InvoiceRow | undefined>;
  /** Returns the first two invoices with this charge id. Internal teams may use one charge id on several accounts. */
  invoicesOfCharge(chargeId: string): Promise<readonly InvoiceRow[]>;
  /** Returns charges by invoice id; `accountId` 0 means all accounts. */
  charges(accountId: number, page: PageOf): Promise<readonly ChargeRow[]>;
  chargeOfInvoice(invoiceId: number): Promise<ChargeRow | undefined>;
  /** Returns at most `limit` corrections of a document, oldest first. */
  correctionsOf(invoiceId: number, limit: number): Promise<readonly InvoiceRow[]>;
  /** Returns the first receipt of a payment with this reference on any account. */
  receiptOf(reference: string): Promise<InvoiceRow | undefined>;
  /** Returns lines in the document's order. */
  linesOf(invoiceId: number): Promise<readonly InvoiceLineRow[]>;
  invoiceCount(accountId: number): Promise<number>;
  /** Returns the net cents of documents to consumers in other member states at the seller's rate, between two days. */
  netAtSellersRate(from: string, until: string): Promise<bigint>;
  /** Returns at most `limit` stream names of the account's domains and servers, by name. */
  holdingsOf(accountId: number, limit: number): Promise<readonly string[]>;
  /** Returns the profile at an instant; undefined if the customer had none. */
  profileAt(accountId: number, at: string): Promise<ProfileRow | undefined>;
}

type Database = Parameters<Parameters<ReadModelDatabase<AccountSchema>["prepared"]>[0]>[0];

function documents(db: Database) {
  return db
    .selectFrom("invoices")
    .leftJoin("payments_taken_back as back", (join) =>
      join
        .onRef("back.account_id", "=", "invoices.account_id")
        .onRef("back.reference", "=", "invoices.cause")
        .on("invoices.action", "=", "topup"),
    )
    .selectAll("invoices")
    .select(["back.taken_back_at", "back.cancelled_by"]);
}

function chargesIn(db: Database) {
  return db
    .selectFrom("invoices")
    .select([
      "invoices.id",
      "invoices.account_id",
      "invoices.number",
      "invoices.action",
      "invoices.gross_cents",
      "invoices.cause",
      "invoices.created_at",
    ])
    .select((row) =>
      row
        .selectFrom("invoices as corrections")
        .select((one) => one.fn.sum<number | string | null>("corrections.gross_cents").as("sum"))
        .whereRef("corrections.corrects_invoice_id", "=", "invoices.id")
        // A charge and its corrections share the cause, which is indexed.
        .whereRef("corrections.cause", "=", "invoices.cause")
        .as("refunded_cents"),
    )
    .where("invoices.action", "in", ["purchase", "renewal"]);
}

function chargeQueries(
  database: ReadModelDatabase<AccountSchema>,
): Pick<AccountQueries, "charges" | "chargeOfInvoice" | "correctionsOf"> {
  const ofAll = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    chargesIn(db)
      .where("invoices.id", ">", parameter("afterId"))
      .orderBy("invoices.id")
      .limit(parameter("limit")),
  );
  const ofAccount = database.prepared(
    (db, parameter: ParameterOf<{ accountId: number; afterId: number; limit: number }>) =>
      chargesIn(db)
        .where("invoices.account_id", "=", parameter("accountId"))
        .where("invoices.id", ">", parameter("afterId"))
        .orderBy("invoices.id")
        .limit(parameter("limit")),
  );
  const ofInvoice = database.prepared((db, parameter: ParameterOf<{ invoiceId: number }>) =>
    chargesIn(db).where("invoices.id", "=", parameter("invoiceId")),
  );
  const corrections = database.prepared((db, parameter: ParameterOf<{ invoiceId: number; limit: number }>) =>
    documents(db)
      .where(
        "cause",
        "=",
        db
          .selectFrom("invoices as corrected")
          .select("cause")
          .where("corrected.id", "=", parameter("invoiceId")),
      )
      .where("corrects_invoice_id", "=", parameter("invoiceId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  return {
    charges: (accountId, page) =>
      accountId === 0 ? ofAll.all({ ...page }) : ofAccount.all({ accountId, ...page }),
    chargeOfInvoice: (invoiceId) => ofInvoice.first({ invoiceId }),
    correctionsOf: (invoiceId, limit) => corrections.all({ invoiceId, limit }),
  };
}

/** Prepares the queries once. */
export function accountQueries(database: ReadModelDatabase<AccountSchema>): AccountQueries {
  const keyByHash = database.prepared((db, parameter: ParameterOf<{ keyHash: string }>) =>
    db.selectFrom("api_keys").select(["account_id", "key_id"]).where("key_hash", "=", parameter("keyHash")),
  );
  const keyById = database.prepared((db, parameter: ParameterOf<{ keyId: number }>) =>
    db.selectFrom("api_keys").select(["account_id", "key_id"]).where("key_id", "=", parameter("keyId")),
  );
  const invoicesOf = database.prepared(
    (db, parameter: ParameterOf<{ accountId: number; afterId: number; limit: number }>) =>
      documents(db)
        .where("invoices.account_id", "=", parameter("accountId"))
        .where("id", ">", parameter("afterId"))
        .orderBy("id")
        .limit(parameter("limit")),
  );
  const invoiceById = database.prepared((db, parameter: ParameterOf<{ invoiceId: number }>) =>
    documents(db).where("id", "=", parameter("invoiceId")),
  );
  const invoicesOfCharge = database.prepared((db, parameter: ParameterOf<{ chargeId: string }>) =>
    documents(db)
      .where("cause", "=", parameter("chargeId"))
      .where("action", "in", ["purchase", "renewal"])
      .orderBy("id")
      .limit(2),
  );
  const receiptOf = database.prepared((db, parameter: ParameterOf<{ reference: string }>) =>
    documents(db)
      .where("cause", "=", parameter("reference"))
      .where("action", "=", "topup")
      .orderBy("id")
      .limit(1),
  );
  const linesOf = database.prepared((db, parameter: ParameterOf<{ invoiceId: number }>) =>
    db
      .selectFrom("invoice_lines")
      .selectAll()
      .where("invoice_id", "=", parameter("invoiceId"))
      .orderBy("position"),
  );
  const profileAt = database.prepared((db, parameter: ParameterOf<{ accountId: number; at: string }>) =>
    db
      .selectFrom("profiles")
      .selectAll()
      .where("account_id", "=", parameter("accountId"))
      .where("changed_at", "<=", parameter("at"))
      .orderBy("version", "desc")
      .limit(1),
  );
  return {
    keyByHash: (keyHash) => keyByHash.first({ keyHash }),
    keyById: (keyId) => keyById.first({ keyId }),
    invoicesOf: (accountId, { afterId, limit }) => invoicesOf.all({ accountId, afterId, limit }),
    invoiceById: (invoiceId) => invoiceById.first({ invoiceId }),
    ...selectedInvoices(database),
    ...paymentQueries(database),
    ...staffQueries(database),
    ...chargeQueries(database),
    ...queriesOfErasures(database),
    ...archiveQueries(database),
    invoicesOfCharge: (chargeId) => invoicesOfCharge.all({ chargeId }),
    receiptOf: (reference) => receiptOf.first({ reference }),
    linesOf: (invoiceId) => linesOf.all({ invoiceId }),
    profileAt: (accountId, at) => profileAt.first({ accountId, at }),
  };
}

type SelectionOf = { readonly accountId: number } & Omit<
  RequestedSelection,
  "descending" | "name" | "status"
>;

function selectedInvoices(
  database: ReadModelDatabase<AccountSchema>,
): Pick<AccountQueries, "selectedInvoices"> {
  const selected = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<SelectionOf>) =>
      documents(db)
        .where("invoices.account_id", "=", parameter("accountId"))
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .where((is) =>
          is.or([is("domain_id", "=", parameter("domainId")), is(parameter("domainId"), "=", 0)]),
        )
        .where("created_at", ">=", parameter("from"))
        .where("created_at", "<", parameter("before"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const [oldestFirst, newestFirst] = [selected("asc"), selected("desc")];
  return {
    selectedInvoices: (accountId, { descending, afterId, limit, domainId, from, before }) =>
      (descending ? newestFirst : oldestFirst).all({ accountId, afterId, limit, domainId, from, before }),
  };
}

function staffQueries(
  database: ReadModelDatabase<AccountSchema>,
): Pick<AccountQueries, "allInvoices" | "invoiceByNumber"> {
  const allInvoices = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    documents(db).where("id", ">", parameter("afterId")).orderBy("id").limit(parameter("limit")),
  );
  const invoiceByNumber = database.prepared(
    (db, parameter: ParameterOf<{ accountId: number; number: string }>) =>
      documents(db)
        .where("invoices.account_id", "=", parameter("accountId"))
        .where("number", "=", parameter("number")),
  );
  return {
    allInvoices: ({ afterId, limit }) => allInvoices.all({ afterId, limit }),
    invoiceByNumber: (accountId, number) => invoiceByNumber.first({ accountId, number }),
  };
}

function queriesOfErasures(
  database: ReadModelDatabase<AccountSchema>,
): Pick<AccountQueries, "invoiceCount" | "holdingsOf" | "netAtSellersRate"> {
  const invoiceCount = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db
      .selectFrom("invoices")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .where("account_id", "=", parameter("accountId")),
  );
  const holdingsOf = database.prepared((db, parameter: ParameterOf<{ accountId: number; limit: number }>) =>
    db
      .selectFrom("holdings")
      .select("resource")
      .where("account_id", "=", parameter("accountId"))
      .orderBy("resource")
      .limit(parameter("limit")),
  );
  const netAtSellersRate = database.prepared((db, parameter: ParameterOf<{ from: string; until: string }>) =>
    db
      .selectFrom("invoices")
      .select(({ fn }) => fn.sum<number | string | bigint | null>("net_cents").as("cents"))
      .where("tax_reason", "=", "seller-rate")
      .where("business_date", ">=", parameter("from"))
      .where("business_date", "<=", parameter("until")),
  );
  return {
    netAtSellersRate: async (from, until) =>
      BigInt((await netAtSellersRate.first({ from, until }))?.cents ?? 0),
    invoiceCount: async (accountId) => Number((await invoiceCount.first({ accountId }))?.count ?? 0),
    holdingsOf: async (accountId, limit) =>
      (await holdingsOf.all({ accountId, limit })).map(({ resource }) => resource),
  };
}
