import type { ServiceImpl } from "@connectrpc/connect";
import { entryOfTopUp, parseName, rejection } from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestedId,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandAccount, commandContext, findAccount, refuseBefore } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { refuseTaken, taking } from "../references.ts";
import { accountEvents } from "./account-events.ts";
import { approvalMessage, listedKeyMessage } from "./account.message.ts";
import { quotaHandlers } from "./account-quotas.ts";
import { assignApproved } from "./bank-matching.ts";
import { issueKey, keysOf, requestedKeyId, revokeKey } from "./api-keys.ts";
import { adjust, adjustmentHandlers, maximumReferenceLength, parseAmount } from "./adjustments.ts";
import { grantApproval, openApprovals, requireApproval, type MoneyRequest } from "./approvals.ts";
import { payOutHandlers, sendPayout, sendRefund } from "./pay-out.ts";
import { staffProfileHandlers } from "./profile.ts";
import { grantRefund, refundHandlers } from "./refunds.ts";
import { staffInvoiceHandlers } from "./staff-invoices.ts";
import { declareKeyLost, erase, keptByLaw, refuseUnlessEmpty } from "./erase-account.ts";
import { legalHoldHandlers } from "./legal-holds.ts";
import { payOutBalance } from "./settle-account.ts";
import { exposedKeys } from "./exposed-keys.ts";
import { findKeyOwner } from "./find-key-owner.ts";
import { sellerHandlers, taxHandlers } from "./seller-admin.ts";

type AdminHandlers = ServiceImpl<typeof admin.AccountAdminService>;

const maximumNameLength = 200;

export function accountAdminRpc(dependencies: AccountDependencies): AdminHandlers {
  const { clock, accountIds } = dependencies;
  const handlers: AdminHandlers = {
    async openAccount(request, context) {
      const { name } = validated({ name: parseName(request.name, maximumNameLength) });
      const accountId = await accountIds.next();
      const data = { accountId, name, vatExempt: request.vatExempt, at: clock.now() };
      const command = { type: "OpenAccount", data } as const;
      await commandAccount(
        dependencies,
        accountId,
        command,
        commandContext(context, `open/${String(accountId)}`),
      );
      return { accountId: BigInt(accountId) };
    },

    async showAccount(request) {
      const accountId = requestedId("account", request.accountId);
      const { account } = await findAccount(dependencies, accountId);
      const { name, vatExempt, balanceCents, debt, openedAt, erasedAt } = account;
      const shownAccount = { accountId: BigInt(accountId), name, vatExempt, balanceCents, openedAt };
      const ofDebt = { debtSince: debt?.since, debtReminders: debt?.reminders };
      return { ...shownAccount, ...defined({ erasedAt, ...ofDebt }) };
    },

    async setVatExemption(request, context) {
      const accountId = requestedId("account", request.accountId);
      const { vatExempt } = request;
      const command = { type: "SetVatExemption", data: { vatExempt, at: clock.now() } } as const;
      const commandId = `vat-exemption/${dependencies.ids.uuid()}`;
      const sent = commandContext(context, commandId);
      const { events } = await commandAccount(dependencies, accountId, command, sent);
      return { accountId: BigInt(accountId), vatExempt, repeated: events.length === 0 };
    },

    async topUpAccount(request, context) {
      const staff = requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const { reference, amountCents } = validated({
        reference: parseName(request.reference, maximumReferenceLength),
        amountCents: parseAmount(request.amountCents),
      });
      if (entryOfTopUp(reference) !== undefined) throw ofBankEntry(reference);
      const payment = { amountCents, reference, reason: "", debtAllowed: false };
      const requested = { accountId, kind: "top-up", ...payment } as const;
      await refuseTaken(dependencies, requested);
      const { account } = await findAccount(dependencies, accountId);
      // Checked first: repeats and rejected credits need no approval.
      if (!account.credits.has(reference)) await requireApproval(dependencies, staff, requested, context);
      return credit(dependencies, requested, context);
    },

    listAccountFacts: accountEvents(dependencies),
    ...adjustmentHandlers(dependencies),
    ...refundHandlers(dependencies),
    ...payOutHandlers(dependencies),
    ...staffInvoiceHandlers(dependencies),
    ...approvalHandlers(dependencies),
    ...quotaHandlers(dependencies),
    ...staffProfileHandlers(dependencies),
    ...erasureHandlers(dependencies),
    ...legalHoldHandlers(dependencies),
    ...sellerHandlers(dependencies),
    ...taxHandlers(dependencies),
    ...keyHandlers(dependencies),
  };
  return { ...handlers, ...inTurn(dependencies, handlers) };
}

/** Runs each person's postings one at a time (see `postings`). */
function inTurn(
  { postings }: Pick<AccountDependencies, "postings">,
  {
    topUpAccount,
    adjustBalance,
    reverseTopUp,
    refundCharge,
    payOut,
    refundPayment,
    eraseAccount,
  }: AdminHandlers,
): Pick<
  AdminHandlers,
  | "topUpAccount"
  | "adjustBalance"
  | "reverseTopUp"
  | "refundCharge"
  | "payOut"
  | "refundPayment"
  | "eraseAccount"
> {
  const turn = async <Answer>(
    context: WithContextValues,
    post: () => Answer | Promise<Answer>,
  ): Promise<Answer> => postings.run(requireStaff(context).name, async () => post());
  return {
    topUpAccount: (request, context) => turn(context, () => topUpAccount(request, context)),
    adjustBalance: (request, context) => turn(context, () => adjustBalance(request, context)),
    reverseTopUp: (request, context) => turn(context, () => reverseTopUp(request, context)),
    refundCharge: (request, context) => turn(context, () => refundCharge(request, context)),
    payOut: (request, context) => turn(context, () => payOut(request, context)),
    refundPayment: (request, context) => turn(context, () => refundPayment(request, context)),
    // It may pay the balance out.
    eraseAccount: (request, context) => turn(context, () => eraseAccount(request, context)),
  };
}

function approvalHandlers(
  dependencies: AccountDependencies,
): Pick<AdminHandlers, "listApprovals" | "approveCredit"> {
  return {
    async listApprovals() {
      const approvals = await openApprovals(dependencies);
      return { approvals: approvals.map(approvalMessage) };
    },

    async approveCredit({ approvalId }, context) {
      const staff = requireStaff(context);
      const requested = requestedId("approval", approvalId);
      const granted = await grantApproval(dependencies, staff, requested, context);
      const carryOut = carriesOut(granted);
      const done = await carryOut(dependencies, granted, context);
      return { ...done, approvalId, accountId: BigInt(granted.accountId) };
    },
  };
}

/** Refuses a reference under which an entry of the bank account is credited. */
function ofBankEntry(reference: string): Error {
  const message = `The reference ${reference} is of an entry on the bank account: use hostledger bank match.`;
  const fieldErrors = { reference: ["must not be the reference of an entry on the bank account"] };
  return rejectionError(rejection("validation-failed", message, { fieldErrors }));
}

function carriesOut({ kind, reference }: MoneyRequest) {
  if (kind === "refund") return grantRefund;
  if (kind === "payout") return sendPayout;
  if (kind === "payment-refund") return sendRefund;
  if (kind !== "top-up") return adjust;
  return entryOfTopUp(reference) === undefined ? credit : assignApproved;
}

/** Books an approved credit; a repeated reference books once. */
async function credit(
  dependencies: AccountDependencies,
  { accountId, reference, amountCents }: MoneyRequest,
  context: WithContextValues,
): Promise<{ readonly invoiceId: bigint; readonly balanceCents: bigint; readonly repeated: boolean }> {
  const { accounts, clock, projector } = dependencies;
  const asked = { reference, amountCents, at: clock.now() };
  await refuseBefore(dependencies, accountId, {
    type: "CreditBalance",
    data: { ...asked, invoiceId: unusedId },
  });
  const data = { ...asked, invoiceId: await accounts.invoiceIds.next() };
  const { account, position, events } = await commandAccount(
    dependencies,
    accountId,
    { type: "CreditBalance", data },
    taking(
      dependencies,
      { kind: "top-up", reference, accountId },
      commandContext(context, `top-up/${reference}`),
    ),
  );
  await projector.after(position);
  const credited = account.credits.get(reference);
  if (credited === undefined) throw new Error(`the payment ${reference} was accepted but is not there`);
  const repeated = events.length === 0;
  return { invoiceId: BigInt(credited.invoiceId), balanceCents: account.balanceCents, repeated };
}

function erasureHandlers(
  dependencies: AccountDependencies,
): Pick<AdminHandlers, "eraseAccount" | "declareKeyLost"> {
  const { projector } = dependencies;
  return {
    async eraseAccount(request, context) {
      const accountId = requestedId("account", request.accountId);
      const { force, settle, iban } = request;
      if (iban !== "" && !settle) throw notSettled();
      if (!force) await refuseUnlessEmpty(dependencies, accountId, settle);
      const settled = settle ? await payOutBalance(dependencies, { accountId, iban }, context) : undefined;
      const asked = { because: "asked", mustBeSettled: !force } as const;
      const erased = await erase(dependencies, accountId, context, asked);
      const { account, position, keyDestroyed, apiKeysRevoked, repeated } = erased;
      await projector.after(position);
      return {
        accountId: BigInt(accountId),
        erasedAt: account.erasedAt ?? "",
        keyDestroyed,
        apiKeysRevoked,
        repeated,
        ...settled,
        ...(await keptByLaw(dependencies, account)),
      };
    },

    async declareKeyLost(request, context) {
      const accountId = requestedId("account", request.accountId);
      const lost = await declareKeyLost(dependencies, accountId, context);
      const { account, position, apiKeysRevoked, repeated } = lost;
      await projector.after(position);
      return { accountId: BigInt(accountId), erasedAt: account.erasedAt ?? "", apiKeysRevoked, repeated };
    },
  };
}

function notSettled(): Error {
  const fieldErrors = { iban: ["must be left out unless the balance is paid out"] };
  return rejectionError(rejection("validation-failed", "--iban needs --settle.", { fieldErrors }));
}

function keyHandlers(
  dependencies: AccountDependencies,
): Pick<AdminHandlers, "issueApiKey" | "revokeApiKey" | "listApiKeys" | "listExposedApiKeys"> {
  const { keyUses, projector } = dependencies;
  return {
    async issueApiKey(request, context) {
      const accountId = requestedId("account", request.accountId);
      const issued = await issueKey(dependencies, { accountId, issuedBy: null, requested: request }, context);
      await projector.after(issued.position);
      return { keyId: BigInt(issued.keyId), apiKey: issued.secret };
    },

    async revokeApiKey(request, context) {
      const keyId = requestedKeyId(request.keyId);
      const accountId = await findKeyOwner(dependencies, keyId, context.signal);
      if (accountId === undefined) throw rejectionError(rejection("api-key-not-found"));
      const revoked = await revokeKey(dependencies, { accountId, keyId }, context);
      await projector.after(revoked.position);
      return { keyId: BigInt(keyId), repeated: revoked.events.length === 0 };
    },

    async listApiKeys(request) {
      const { account } = await findAccount(dependencies, requestedId("account", request.accountId));
      const keys = keysOf(account);
      const days = await keyUses.of(keys.map(([keyId]) => keyId));
      return {
        keys: keys.map(([keyId, key]) => listedKeyMessage({ keyId, key, lastUsedOn: days.get(keyId) })),
      };
    },

    async listExposedApiKeys({ afterPosition }, context) {
      const from = afterPosition === 0n ? "start" : afterPosition;
      const { keys, next } = await exposedKeys(dependencies, from, context.signal);
      const days = await keyUses.of(keys.map(({ keyId }) => keyId));
      return {
        keys: keys.map(({ accountId, ...known }) => ({
          accountId: BigInt(accountId),
          key: listedKeyMessage({ ...known, lastUsedOn: days.get(known.keyId) }),
        })),
        ...defined({ nextPosition: next }),
      };
    },
  };
}
