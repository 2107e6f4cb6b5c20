import type { MessageInitShape } from "@bufbuild/protobuf";
import { rejection } from "@hostledger/core";
import { openRows, type PersonalColumns } from "@hostledger/store/personal-data";
import type { account } from "@hostledger/protocol";
import {
  type Caller,
  callerOf,
  noSuch,
  rejectionError,
  requestedId,
  type WithContextValues,
} from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import {
  type FrozenInputs,
  type FrozenInputsOptions,
  readFrozenInputs,
} from "../documents/frozen-document.ts";
import type { InvoiceRow, ProfileRow } from "../reads/account.queries.ts";
import { buyerMessage, readInvoiceMessage } from "./account.message.ts";

const ofProfiles: PersonalColumns<ProfileRow> = {
  account: ({ account_id }) => account_id,
  texts: {
    name: "name",
    organisation: "organisation",
    street: "street",
    postal_code: "postalCode",
    city: "city",
    country: "country",
    vat_id: "vatId",
    leitweg_id: "leitwegId",
  },
};

type Answer = MessageInitShape<typeof account.GetInvoiceResponseSchema>;

/** Reads a document: a customer its own, a service any. @throws ConnectError `not-found`, `unauthorized` */
export async function getInvoice(
  dependencies: AccountDependencies,
  request: { readonly invoiceId: bigint },
  context: WithContextValues,
): Promise<Answer> {
  const row = await findDocument(dependencies, requestedId("invoice", request.invoiceId), callerOf(context));
  return readDocument(dependencies, row);
}

/** Finds a document: a customer its own, a service any. @throws ConnectError `not-found`, `unauthorized` */
export async function findDocument(
  dependencies: AccountDependencies,
  invoiceId: number,
  caller: Caller,
): Promise<InvoiceRow> {
  const { projector, queries } = dependencies;
  if (caller.kind === "account") {
    // Waits for the read models, so that a customer can read a document just paid.
    await projector.after((await findAccount(dependencies, caller.accountId)).position);
  }
  const [row] = await readAfterDelivery(dependencies, async () => {
    const found = await queries.invoiceById(invoiceId);
    return found === undefined ? [] : [found];
  });
  if (row === undefined) throw noSuch("invoice");
  if (caller.kind === "account" && caller.accountId !== row.account_id)
    throw rejectionError(rejection("unauthorized"));
  return row;
}

/** Runs a query, again after a wait if the last document is undelivered, because deliveries follow the charge. */
export async function readAfterDelivery(
  dependencies: Pick<AccountDependencies, "store" | "projector">,
  query: () => Promise<readonly InvoiceRow[]>,
): Promise<readonly InvoiceRow[]> {
  const rows = await query();
  if (rows.at(-1)?.delivered !== 0) return rows;
  await dependencies.projector.after("end");
  return query();
}

/** Reads a document with its lines, and the buyer that its event froze. @param frozen given where the caller has read it */
export async function readDocument(
  dependencies: Pick<AccountDependencies, "accounts" | "queries" | "subjectKeys"> & FrozenInputsOptions,
  row: InvoiceRow,
  frozen?: FrozenInputs,
): Promise<Answer> {
  const { queries } = dependencies;
  const [{ account: owner }, lines, buyer, corrected] = await Promise.all([
    findAccount(dependencies, row.account_id),
    queries.linesOf(row.id),
    readBuyer(dependencies, row, frozen),
    row.corrects_invoice_id === null ? undefined : queries.invoiceById(row.corrects_invoice_id),
  ]);
  return readInvoiceMessage({
    ...row,
    account_name: owner.name,
    buyer,
    lines,
    corrects_issued_at: corrected?.created_at ?? null,
  });
}

/** Returns the buyer that a document's event froze; of older documents, and after an erasure, the profile of that time. */
async function readBuyer(
  dependencies: Pick<AccountDependencies, "queries" | "subjectKeys"> & FrozenInputsOptions,
  { id, account_id, created_at }: Pick<InvoiceRow, "id" | "account_id" | "created_at">,
  frozen?: FrozenInputs,
): Promise<Answer["buyer"]> {
  const { buyer, terms } = frozen ?? (await readFrozenInputs(dependencies, id));
  // Without a profile, the customer had said nothing.
  if (buyer !== undefined) return terms?.buyerVersion === 0 ? undefined : buyer;
  const profile = await dependencies.queries.profileAt(account_id, created_at);
  if (profile === undefined) return undefined;
  const [opened] = await openRows(dependencies.subjectKeys, [profile], ofProfiles);
  return opened === undefined ? undefined : buyerMessage(opened);
}
