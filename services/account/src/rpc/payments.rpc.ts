import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  hasAtMost,
  longestPaymentUrl,
  parsed,
  paymentAggregate,
  rejection,
  topUpLimits,
  unparsable,
  type Parsed,
  type PaymentState,
  type Rejection,
  type RequestPayment,
} from "@hostledger/core";
import type { account } from "@hostledger/protocol";
import {
  ownRow,
  rejectionError,
  requestContextOf,
  requestedSelection,
  requireAccepted,
  requireAccount,
  useQuota,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { refusalOf, unusedId } from "@hostledger/store";

import { commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies, PaymentOptions } from "../dependencies.ts";
import type { PaymentRow } from "../reads/payment.queries.ts";
import { paymentKind } from "../reads/account.tables.ts";
import { payments } from "../reads/payments.projection.ts";

type Handlers = ServiceImpl<typeof account.PaymentService>;

/** Write quota of a payment, for its events. */
const writesOfPayment = 5;

/** How long a request waits for the provider, in milliseconds. */
const waitLimitMs = 10_000;

/** Payments of customers, who top up their balances. */
export function paymentRpc(dependencies: AccountDependencies): Handlers {
  const { queries, projector } = dependencies;
  return {
    requestTopUp: (request, context) => requestTopUp(dependencies, request, context),

    async getTopUp({ topupId }, context) {
      const row = await ownRow("payment", topupId, context, (id) => queries.paymentById(id));
      return { topup: topUpMessage(row) };
    },

    async listTopUps({ page }, context) {
      const { accountId } = requireAccount(context);
      const selection = requestedSelection(page);
      await projector.after((await findAccount(dependencies, accountId)).position, {
        names: [payments.name],
      });
      return { topups: (await queries.selectedPayments(accountId, selection)).map(topUpMessage) };
    },
  };
}

/** Begins a payment, and orders it at the provider. A repeated operation finds its payment. @throws ConnectError for a rejection */
async function requestTopUp(
  dependencies: AccountDependencies,
  request: Readonly<Pick<account.RequestTopUpRequest, "amountCents" | "method" | "returnUrl">>,
  context: WithContextValues,
): Promise<MessageInitShape<typeof account.RequestTopUpResponseSchema>> {
  const { commands, clock, engine, installation, projector, queries } = dependencies;
  const { accountId } = requireAccount(context);
  const provided = dependencies.payments;
  const asked = validated({
    amount: parseTopUp(request.amountCents),
    method: parseMethod(request.method, provided),
    return_url: parseReturnUrl(request.returnUrl, provided?.returnOrigins ?? []),
  });
  if (provided === undefined) throw new Error("a method was accepted without a payment provider");
  const { account: payer } = await findAccount(dependencies, accountId);
  if (payer.erasedAt !== undefined)
    throw rejectionError(
      rejection("account-not-open", "The account's personal data was erased: it takes no new payment."),
    );
  const key = `${(await installation.named()).part}-${requestContextOf(context).operationId}`;
  const commandOf = (paymentId: number): RequestPayment => ({
    type: "RequestPayment",
    data: {
      paymentId,
      accountId,
      provider: provided.provider.name,
      method: asked.method,
      amountCents: asked.amount,
      returnUrl: asked.return_url,
      at: clock.now(),
    },
  });
  const first = await commands.load(paymentAggregate, key);
  if (first.state.status !== "absent" && first.state.requested.accountId !== accountId)
    throw rejectionError(rejection("unauthorized"));
  if (first.state.status === "absent") {
    const refusal = await refusalOf(commands, paymentAggregate, key, commandOf(unusedId));
    if (refusal !== undefined) throw rejectionError(refusal);
    await useQuota(dependencies.dailyQuotas, "free_writes_a_day", writesOfPayment, context);
    const paymentId = await dependencies.paymentIds.next();
    requireAccepted(
      await commands.execute(
        paymentAggregate,
        key,
        commandOf(paymentId),
        commandContext(context, `request/${key}`),
      ),
    );
  }
  // A payment that is there already may have been ordered by a process that died.
  const begun = first.state.status === "absent" ? { context: requestContextOf(context) } : {};
  await engine.attend(
    { kind: paymentKind, key },
    { limitMs: waitLimitMs, begin: () => Promise.resolve(begun) },
  );
  const { state, position } = await commands.load(paymentAggregate, key);
  const refusal = refusalIn(state);
  if (refusal !== undefined) throw rejectionError(refusal);
  await projector.after(position, { names: [payments.name] });
  const row = await queries.paymentById(paymentIdOf(state));
  return { topup: row === undefined ? pendingMessage(state) : topUpMessage(row) };
}

/** Returns why a request has no payment that the customer can make. */
function refusalIn(state: PaymentState): Rejection | undefined {
  if (state.status === "requested")
    return rejection(
      "payment-unavailable",
      "No answer has come yet. The payment goes on in the background: `GET /billing/topups` shows what becomes of it.",
    );
  return state.status === "failed" ? rejection("payment-refused") : undefined;
}

function requestedIn(state: PaymentState) {
  if (state.status === "absent") throw new Error("the payment was accepted but is not there");
  return state.requested;
}

function paymentIdOf(state: PaymentState): number {
  return requestedIn(state).paymentId;
}

/** The answer while the read model is behind. */
function pendingMessage(state: PaymentState) {
  const { paymentId, method, amountCents, requestedAt } = requestedIn(state);
  const redirectUrl = state.status === "open" && state.redirectUrl !== "" ? state.redirectUrl : undefined;
  return {
    topupId: BigInt(paymentId),
    method,
    amountCents,
    state: "pending",
    createdAt: requestedAt,
    ...defined({ redirectUrl }),
  };
}

function topUpMessage(row: PaymentRow) {
  return {
    topupId: BigInt(row.id),
    method: row.method,
    amountCents: BigInt(row.amount_cents),
    state: row.state,
    createdAt: row.created_at,
    ...defined({
      paidCents: row.paid_cents === null ? undefined : BigInt(row.paid_cents),
      redirectUrl: row.redirect_url ?? undefined,
      reference: row.reference ?? undefined,
      failure: row.failure ?? undefined,
    }),
  };
}

function parseTopUp(cents: bigint): Parsed<bigint> {
  const { leastCents, mostCents } = topUpLimits;
  return cents >= leastCents && cents <= mostCents
    ? parsed(cents)
    : unparsable("must be 1.00 to 10000.00 euros");
}

function parseMethod(method: string, provided: PaymentOptions | undefined): Parsed<string> {
  if (provided === undefined)
    return unparsable("cannot be chosen: this provider takes no payments here. Ask its staff how to pay");
  const { methods } = provided.provider;
  return methods.includes(method) ? parsed(method) : unparsable(`must be ${methods.join(" or ")}`);
}

/** Reads where the customer returns to: only pages of sites that the operator allows, so that nobody is led elsewhere. */
function parseReturnUrl(text: string, origins: readonly string[]): Parsed<string> {
  if (text === "") return parsed("");
  if (!hasAtMost(text, longestPaymentUrl))
    return unparsable(`must have at most ${String(longestPaymentUrl)} characters`);
  const url = URL.parse(text);
  const isAllowed =
    url !== null && origins.includes(url.origin) && url.username === "" && url.password === "";
  if (isAllowed) return parsed(url.href);
  return unparsable(
    origins.length === 0
      ? "cannot be used: the provider allows no site"
      : `must be a page of ${origins.join(" or ")}`,
  );
}
