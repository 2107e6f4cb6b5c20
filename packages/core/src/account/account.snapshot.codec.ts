import { Map as PersistentMap } from "immutable";
import { z } from "zod";

import type { SnapshotCodec, SnapshotDecoder } from "../kernel/snapshot-codec.ts";
import type { ChargeRow } from "./charge-row.codec.ts";
import { Charges } from "./charges.ts";
import { profileKinds } from "./profile.ts";
import {
  openedAccount,
  type AccountState,
  type ApiKey,
  type Credit,
  type OpenAccountState,
  type PaidOut,
} from "./account.state.ts";

/** Maximum entries of a part: about 100 KB and a millisecond. */
const entriesOfPart = 1_000;

const cents = z.string().transform(BigInt);

const profileSchema = z.object({
  version: z.number(),
  changedAt: z.string().nullable(),
  kind: z.enum(profileKinds).nullable(),
  name: z.string(),
  organisation: z.string(),
  street: z.string(),
  city: z.string(),
  postal_code: z.string(),
  country: z.string(),
  email: z.string(),
  phone: z.string(),
  vat_id: z.string(),
  leitweg_id: z.string(),
});

const headSchema = z.object({
  accountId: z.number(),
  name: z.string(),
  profile: profileSchema,
  vatExempt: z.boolean(),
  vatIdCheck: z
    .object({
      vatId: z.string(),
      validAt: z.string().nullable(),
      askedAt: z.string(),
      unanswered: z.number(),
    })
    .nullable(),
  businessDate: z.string(),
  openedAt: z.string(),
  erasedAt: z.string().optional(),
  balanceCents: cents,
  debt: z.object({ since: z.string(), reminders: z.number(), remindedDays: z.number() }).nullable(),
  documentSeries: z.number(),
  documentCounts: z.object({ invoice: z.number(), receipt: z.number(), correction: z.number() }),
  sizes: z.object({
    charges: z.number(),
    credits: z.number(),
    adjustments: z.number(),
    paidOut: z.number(),
    apiKeys: z.number(),
  }),
});

type Head = z.infer<typeof headSchema>;

type CreditRow = readonly [reference: string, amountCents: string, invoiceId: number, number: string];
type AdjustmentRow = readonly [key: string, changeCents: string];
type PaidOutRow = readonly [order: Omit<PaidOut, "amountCents">, amountCents: string];
type ApiKeyRow = readonly [
  keyId: number,
  keyHash: string,
  prefix: string,
  issuedAt: string,
  label: string,
  scopes: readonly string[] | null,
  expiresAt: string | null,
  addresses: readonly string[],
  operationId: string | null,
  revokedAt: string | null,
];

/** A part after the head. A checksum proves that its rows are unchanged, so they are not validated again. */
type Part =
  | { readonly of: "charges"; readonly rows: readonly ChargeRow[] }
  | { readonly of: "credits"; readonly rows: readonly CreditRow[] }
  | { readonly of: "adjustments"; readonly rows: readonly AdjustmentRow[] }
  | { readonly of: "paidOut"; readonly rows: readonly PaidOutRow[] }
  | { readonly of: "apiKeys"; readonly rows: readonly ApiKeyRow[] };

/** Snapshot of an account: a head, then charges, credits, adjustments, money that went out, and keys in parts of up to 1,000 entries. */
export const accountSnapshots: SnapshotCodec<AccountState> = {
  version: 12,
  every: 5_000,
  encode,
  decoder: () => new AccountDecoder(),
};

function* encode(state: AccountState): Generator<string, void, undefined> {
  if (state.status !== "open") return;
  const { accountId, name, profile, vatExempt, vatIdCheck, openedAt, erasedAt, balanceCents, debt } = state;
  const { businessDate, documentCounts, documentSeries } = state;
  const { charges, credits, adjustments, paidOut, apiKeys } = state;
  const head: z.input<typeof headSchema> = {
    accountId,
    name,
    profile,
    vatExempt,
    vatIdCheck,
    businessDate,
    openedAt,
    erasedAt,
    documentSeries,
    documentCounts,
    balanceCents: String(balanceCents),
    debt,
    sizes: {
      charges: charges.size,
      credits: credits.size,
      adjustments: adjustments.size,
      paidOut: paidOut.size,
      apiKeys: apiKeys.size,
    },
  };
  yield JSON.stringify(head);
  yield* parts("charges", charges.rows(), (row) => row);
  yield* parts("credits", credits.entries(), creditRowOf);
  yield* parts("adjustments", adjustments.entries(), adjustmentRowOf);
  yield* parts("paidOut", paidOut.values(), paidOutRowOf);
  yield* parts("apiKeys", apiKeys.entries(), apiKeyRowOf);
}

function* parts<Entry>(
  of: keyof Head["sizes"],
  entries: Iterable<Entry>,
  rowOf: (entry: Entry) => ChargeRow | CreditRow | AdjustmentRow | PaidOutRow | ApiKeyRow,
): Generator<string, void, undefined> {
  let rows: ReturnType<typeof rowOf>[] = [];
  for (const entry of entries) {
    rows.push(rowOf(entry));
    if (rows.length < entriesOfPart) continue;
    yield JSON.stringify({ of, rows });
    rows = [];
  }
  if (rows.length > 0) yield JSON.stringify({ of, rows });
}

function creditRowOf([reference, { amountCents, invoiceId, number }]: [string, Credit]): CreditRow {
  return [reference, String(amountCents), invoiceId, number];
}

function adjustmentRowOf([key, changeCents]: [string, bigint]): AdjustmentRow {
  return [key, String(changeCents)];
}

function paidOutRowOf({ amountCents, ...order }: PaidOut): PaidOutRow {
  return [order, String(amountCents)];
}

function apiKeyRowOf([keyId, key]: [number, ApiKey]): ApiKeyRow {
  const { keyHash, prefix, issuedAt, label, scopes, expiresAt, addresses, operationId, revokedAt } = key;
  return [keyId, keyHash, prefix, issuedAt, label, scopes, expiresAt, addresses, operationId, revokedAt];
}

function apiKeyOf(row: ApiKeyRow): ApiKey {
  const [, keyHash, prefix, issuedAt, label, scopes, expiresAt, addresses, operationId, revokedAt] = row;
  return { keyHash, prefix, issuedAt, label, scopes, expiresAt, addresses, operationId, revokedAt };
}

class AccountDecoder implements SnapshotDecoder<AccountState> {
  #head: Head | undefined;
  #charges = Charges.none;
  readonly #credits = PersistentMap<string, Credit>().asMutable();
  readonly #adjustments = PersistentMap<string, bigint>().asMutable();
  readonly #paidOut = PersistentMap<string, PaidOut>().asMutable();
  readonly #apiKeys = PersistentMap<number, ApiKey>().asMutable();

  add(text: string): void {
    const value: unknown = JSON.parse(text);
    if (this.#head === undefined) {
      this.#head = headSchema.parse(value);
      return;
    }
    const part = value as Part;
    if (part.of === "charges") this.#addCharges(part.rows);
    else if (part.of === "credits") {
      for (const [reference, amountCents, invoiceId, number] of part.rows)
        this.#credits.set(reference, { amountCents: BigInt(amountCents), invoiceId, number });
    } else if (part.of === "adjustments") {
      for (const [key, changeCents] of part.rows) this.#adjustments.set(key, BigInt(changeCents));
    } else if (part.of === "paidOut") {
      for (const [order, amountCents] of part.rows)
        this.#paidOut.set(order.reference, { ...order, amountCents: BigInt(amountCents) });
    } else for (const row of part.rows) this.#apiKeys.set(row[0], apiKeyOf(row));
  }

  /** @throws Error if a part arrives twice, because it would hide a missing part. */
  #addCharges(rows: readonly ChargeRow[]): void {
    const [first] = rows;
    if (first !== undefined && this.#charges.has(first[0]))
      throw new Error("a part of the account is there twice");
    this.#charges = this.#charges.addRows(rows);
  }

  finish(): AccountState {
    if (this.#head === undefined) return { status: "absent" };
    const { sizes, balanceCents, documentCounts, documentSeries, erasedAt, profile, ...head } = this.#head;
    const { vatIdCheck, businessDate, debt, ...opened } = head;
    const state: OpenAccountState = {
      ...openedAccount(opened),
      profile,
      vatIdCheck,
      businessDate,
      erasedAt,
      balanceCents,
      debt,
      documentSeries,
      documentCounts,
      charges: this.#charges,
      credits: this.#credits.asImmutable(),
      adjustments: this.#adjustments.asImmutable(),
      paidOut: this.#paidOut.asImmutable(),
      apiKeys: this.#apiKeys.asImmutable(),
    };
    const parts = ["charges", "credits", "adjustments", "paidOut", "apiKeys"] as const;
    if (parts.some((part) => state[part].size !== sizes[part]))
      throw new Error("parts of the account are missing");
    return state;
  }
}
