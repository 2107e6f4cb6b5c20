import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  bankAsProvider,
  hasAtMost,
  longestPaymentUrl,
  parsed,
  paymentAggregate,
  rejection,
  topUpLimits,
  transferMethod,
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
import type { AccountDependencies } from "../dependencies.ts";
import type { PaymentRow } from "../reads/payment.queries.ts";
import { paymentKind } from "../reads/account.tables.ts";
import { refuseFullWallet, walletRpc } from "./wallet.rpc.ts";
import { payments } from "../reads/payments.projection.ts";
import { drawPaymentRequest } from "./payment-request.ts";
import { bankDetailsOf, transferTarget, type TransferTarget } from "./transfer-details.ts";

type Handlers = ServiceImpl<typeof account.PaymentService>;

/** Write quota of a payment, for its events. */
const writesOfPayment = 5;

/** Maximum wait of a request for the provider, in milliseconds. */
const waitLimitMs = 10_000;

/** Creates the handlers of customers' payments. */
export function paymentRpc(dependencies: AccountDependencies): Handlers {
  const { queries, projector } = dependencies;
  return {
    ...walletRpc(dependencies),

    requestTopUp: (request, context) => requestTopUp(dependencies, request, context),

    async getTopUp({ topupId }, context) {
      const row = await ownRow("payment", topupId, context, (id) => queries.paymentById(id));
      return { topup: topUpMessage(row, await transferTarget(dependencies)) };
    },

    async listTopUps({ page }, context) {
      const { accountId } = requireAccount(context);
      const selection = requestedSelection(page);
      await projector.after((await findAccount(dependencies, accountId)).position, {
        names: [payments.name],
      });
      const target = await transferTarget(dependencies);
      const rows = await queries.selectedPayments(accountId, selection);
      return { topups: rows.map((row) => topUpMessage(row, target)) };
    },

    getPaymentRequest: ({ topupId }, context) => drawPaymentRequest(dependencies, topupId, context),
  };
}

/**
 * Begins a payment, and orders it at the provider, or names the bank account to which the customer transfers the money. A repeated
 * operation finds its payment.
 * @throws ConnectError for a rejection
 */
async function requestTopUp(
  dependencies: AccountDependencies,
  request: Readonly<
    Pick<account.RequestTopUpRequest, "amountCents" | "method" | "returnUrl" | "storeMethod">
  >,
  context: WithContextValues,
): Promise<MessageInitShape<typeof account.RequestTopUpResponseSchema>> {
  const { commands, engine, installation, projector, queries } = dependencies;
  const { accountId } = requireAccount(context);
  const asked = validated({
    amount: parseTopUp(request.amountCents),
    method: parseMethod(request.method, dependencies),
    return_url: parseReturnUrl(request.returnUrl, dependencies.payments?.returnOrigins ?? []),
  });
  // A bank account that transfers money is no method that could be charged.
  const storesMethod = request.storeMethod && asked.method !== transferMethod;
  const { account: payer } = await findAccount(dependencies, accountId);
  if (payer.erasedAt !== undefined)
    throw rejectionError(
      rejection("account-not-open", "The account's personal data was erased: it takes no new payment."),
    );
  const key = `${(await installation.named()).part}-${requestContextOf(context).operationId}`;
  const first = await commands.load(paymentAggregate, key);
  if (first.state.status !== "absent" && first.state.requested.accountId !== accountId)
    throw rejectionError(rejection("unauthorized"));
  if (first.state.status === "absent")
    await storeRequest(dependencies, key, { ...asked, storesMethod, accountId }, context);
  if (asked.method !== transferMethod) {
    // A payment that is there already may have been ordered by a process that died.
    const begun = first.state.status === "absent" ? { context: requestContextOf(context) } : {};
    await engine.attend(
      { kind: paymentKind, key },
      { limitMs: waitLimitMs, begin: () => Promise.resolve(begun) },
    );
  }
  const { state, position } = await commands.load(paymentAggregate, key);
  const refusal = refusalIn(state);
  if (refusal !== undefined) throw rejectionError(refusal);
  await projector.after(position, { names: [payments.name] });
  const row = (await queries.paymentById(requestedIn(state).paymentId)) ?? pendingRow(state, key);
  return { topup: topUpMessage(row, await transferTarget(dependencies)) };
}

/** The validated request of a customer. */
interface Asked {
  readonly accountId: number;
  readonly amount: bigint;
  readonly method: string;
  readonly return_url: string;
  /** True if the customer agreed that the provider stores the method. */
  readonly storesMethod: boolean;
}

/** Stores the request of a payment, before anybody is asked for money. @throws ConnectError for a rejection */
async function storeRequest(
  dependencies: AccountDependencies,
  key: string,
  { accountId, amount, method, return_url: returnUrl, storesMethod }: Asked,
  context: WithContextValues,
): Promise<void> {
  const { clock, commands, dailyQuotas, paymentIds } = dependencies;
  const provider = method === transferMethod ? bankAsProvider : dependencies.payments?.provider?.name;
  if (provider === undefined) throw new Error("a method was accepted without a payment provider");
  const commandOf = (paymentId: number): RequestPayment => ({
    type: "RequestPayment",
    data: {
      paymentId,
      accountId,
      provider,
      method,
      amountCents: amount,
      returnUrl,
      storesMethod,
      methodId: null,
      at: clock.now(),
    },
  });
  const refusal = await refusalOf(commands, paymentAggregate, key, commandOf(unusedId));
  if (refusal !== undefined) throw rejectionError(refusal);
  if (storesMethod) await refuseFullWallet(dependencies, accountId);
  await useQuota(dailyQuotas, "free_writes_a_day", writesOfPayment, context);
  const command = commandOf(await paymentIds.next());
  requireAccepted(
    await commands.execute(paymentAggregate, key, command, commandContext(context, `request/${key}`)),
  );
}

/** Returns why a request has no payment that the customer can make. */
function refusalIn(state: PaymentState): Rejection | undefined {
  if (state.status === "requested" && state.requested.method !== transferMethod)
    return rejection(
      "payment-unavailable",
      "No answer has come yet. The payment continues in the background: `GET /billing/topups` shows its outcome.",
    );
  return state.status === "failed" ? rejection("payment-refused") : undefined;
}

function requestedIn(state: PaymentState) {
  if (state.status === "absent") throw new Error("the payment was accepted but is not there");
  return state.requested;
}

/** The payment while the read model is behind. */
function pendingRow(state: PaymentState, stream_key: string): PaymentRow {
  const { paymentId, accountId, method, amountCents, requestedAt } = requestedIn(state);
  return {
    id: paymentId,
    account_id: accountId,
    method,
    amount_cents: Number(amountCents),
    state: "pending",
    paid_cents: null,
    redirect_url: state.status === "open" && state.redirectUrl !== "" ? state.redirectUrl : null,
    reference: null,
    failure: null,
    created_at: requestedAt,
    settled_at: null,
    stream_key,
    stored_method_id: null,
  };
}

function topUpMessage(row: PaymentRow, target: TransferTarget | undefined) {
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
      bank: bankDetailsOf(row, target),
    }),
  };
}

function parseTopUp(cents: bigint): Parsed<bigint> {
  const { leastCents, mostCents } = topUpLimits;
  return cents >= leastCents && cents <= mostCents
    ? parsed(cents)
    : unparsable("must be 1.00 to 10000.00 euros");
}

/** Returns the methods from which customers choose. */
export function offeredMethods({
  bankIban,
  payments: provided,
}: Pick<AccountDependencies, "bankIban" | "payments">): readonly string[] {
  const methods = (provided?.provider?.methods ?? []).filter((method) => method !== transferMethod);
  return bankIban === undefined ? methods : [...methods, transferMethod];
}

function parseMethod(method: string, dependencies: AccountDependencies): Parsed<string> {
  const methods = offeredMethods(dependencies);
  if (methods.length === 0)
    return unparsable("cannot be chosen: this provider takes no payments here. Ask its staff how to pay");
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
