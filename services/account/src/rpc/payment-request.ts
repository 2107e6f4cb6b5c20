import type { MessageInitShape } from "@bufbuild/protobuf";
import { pdfType, renderPaymentRequest } from "@hostledger/audit/documents";
import { languageOf } from "@hostledger/core";
import type { account } from "@hostledger/protocol";
import { noSuch, ownRow, type WithContextValues } from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { bankDetailsOf, transferTarget } from "./transfer-details.ts";

/**
 * Draws the payment request of a top-up by bank transfer. It is no document of the books, so it is drawn for each request.
 * @throws ConnectError `not-found` if no transfer is awaited, `unauthorized`
 */
export async function drawPaymentRequest(
  dependencies: AccountDependencies,
  topUpId: bigint,
  context: WithContextValues,
): Promise<MessageInitShape<typeof account.GetPaymentRequestResponseSchema>> {
  const { queries } = dependencies;
  const row = await ownRow("payment", topUpId, context, (id) => queries.paymentById(id));
  const target = await transferTarget(dependencies);
  const bank = bankDetailsOf(row, target);
  if (bank === undefined || target === undefined)
    throw noSuch("payment request: only a top-up by bank transfer has one, while its money is awaited");
  const { account: payer } = await findAccount(dependencies, row.account_id);
  const content = await renderPaymentRequest({
    accountId: row.account_id,
    topUpId: row.id,
    amountCents: BigInt(row.amount_cents),
    requestedAt: row.created_at,
    language: languageOf(payer.profile),
    ...target,
    reference: bank.reference,
    epcQr: bank.epcQr,
  });
  return { file: { name: `payment-request-${String(row.id)}.pdf`, mediaType: pdfType, content } };
}
