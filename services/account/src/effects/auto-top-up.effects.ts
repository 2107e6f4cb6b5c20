import {
  accountAggregate,
  nextOfAutoTopUp,
  payment as paymentRules,
  paymentAggregate,
  walletAggregate,
  type AutoTopUpEffect,
  type PaymentState,
  type RequestPayment,
  type WalletCommand,
  type WalletState,
  type WorkedWallet,
} from "@hostledger/core";
import {
  refusalOf,
  unusedId,
  type AccountCommands,
  type IdSequence,
  type Installation,
} from "@hostledger/store";
import { endOf, requestDailyWorkTicket, workKind, type AnyWorkKind, type EffectEnd } from "@hostledger/work";

import { autoTopUpKind } from "../reads/account.tables.ts";
import { changeWallet, type WalletOptions } from "./stored-method.effects.ts";
import { postponed, retry } from "./pauses.ts";
import { atProvider } from "./payment-work.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface AutoTopUpOptions extends WalletOptions {
  readonly paymentIds: IdSequence;
  readonly installation: Installation;
}

/** A wallet with its account. */
type WorkedAccount = WorkedWallet & { readonly accountId: number };

/**
 * Returns the work on automatic top-ups: a payment on a stored method when the balance is below the threshold. Its keys are accounts. An
 * order is stored before its payment is requested, and the payment's stream follows from the order, so a repetition finds the payment.
 */
export function autoTopUpWork(options: AutoTopUpOptions): AnyWorkKind {
  const { accounts, refusesWrites } = options;
  const carryOut = async (effect: AutoTopUpEffect, worked: WorkedAccount): Promise<EffectEnd> => {
    if (refusesWrites()) return postponed;
    return carryOutEffect(options, effect, worked);
  };
  return workKind<WorkedAccount, AutoTopUpEffect>({
    name: autoTopUpKind,
    async load(key) {
      const { commands } = accounts;
      const { state: wallet } = await commands.load(walletAggregate, key);
      if (wallet.methods.size === 0) return undefined;
      const { state: account } = await commands.load(accountAggregate, key);
      return { accountId: Number(key), wallet, account, lastPayment: await lastPaymentOf(accounts, wallet) };
    },
    next: nextOfAutoTopUp,
    effects: {
      order: { retry, carryOut },
      request: { retry, carryOut },
      stop: { retry, carryOut },
      withdraw: { retry, carryOut },
    },
    tellOfFailures: (_key, reason) =>
      requestDailyWorkTicket(
        ticketOptions(options),
        { work: autoTopUpKind, about: "automatic top-ups" },
        reason,
      ),
  });
}

async function lastPaymentOf(
  { commands }: AccountCommands,
  { lastOrder }: WalletState,
): Promise<PaymentState> {
  if (lastOrder === undefined) return paymentRules.initialState;
  return (await commands.load(paymentAggregate, lastOrder.paymentKey)).state;
}

async function carryOutEffect(
  options: AutoTopUpOptions,
  effect: AutoTopUpEffect,
  { accountId, wallet }: WorkedAccount,
): Promise<EffectEnd> {
  const at = options.clock.now();
  switch (effect.type) {
    case "order": {
      const waiting = await waitForMethod(options, wallet);
      if (waiting !== undefined) return waiting;
      const { part: installation } = await options.installation.named();
      const commandOf = (paymentId: number): WalletCommand => ({
        type: "OrderAutoTopUp",
        data: { accountId, paymentId, installation, at },
      });
      const { commands } = options.accounts;
      const refusal = await refusalOf(commands, walletAggregate, String(accountId), commandOf(unusedId));
      if (refusal !== undefined) return { outcome: "failed", reason: refusal.message };
      const command = commandOf(await options.paymentIds.next());
      const step = `order/${String(wallet.orders + 1)}`;
      return endOf(await changeWallet(options, accountId, command, step), "ordered");
    }
    case "request":
      return requestPayment(options, effect, accountId, wallet);
    case "stop": {
      const { methodId } = effect;
      const step = `stop/${String(wallet.orders)}`;
      const command = { type: "StopAutoTopUp", data: { accountId, methodId, at } } as const;
      return endOf(await changeWallet(options, accountId, command, step), "stopped");
    }
    case "withdraw": {
      const { methodId } = effect;
      const data = { accountId, methodId, because: "erased", at } as const;
      const step = `withdraw/${String(methodId)}`;
      return endOf(
        await changeWallet(options, accountId, { type: "WithdrawMethod", data }, step),
        "withdrawn",
      );
    }
  }
}

/** Orders nothing on a method whose provider takes no new payments here. @returns undefined if the method may be charged */
async function waitForMethod(
  options: AutoTopUpOptions,
  { autoTopUp, methods }: WalletState,
): Promise<EffectEnd | undefined> {
  const name = autoTopUp === undefined ? undefined : methods.get(autoTopUp.methodId)?.provider;
  if (name === undefined || name === options.provider?.name) return undefined;
  const { formerProvider: _, ...taking } = options;
  return atProvider(taking, name, () => Promise.resolve(postponed));
}

async function requestPayment(
  { accounts, clock }: AutoTopUpOptions,
  { ordered }: Extract<AutoTopUpEffect, { readonly type: "request" }>,
  accountId: number,
  wallet: WalletState,
): Promise<EffectEnd> {
  const { paymentId, paymentKey, methodId, amountCents } = ordered;
  const method = wallet.methods.get(methodId);
  if (method === undefined) throw new Error("a top-up was ordered on a method that the account never had");
  const command: RequestPayment = {
    type: "RequestPayment",
    data: {
      paymentId,
      accountId,
      provider: method.provider,
      method: method.kind,
      amountCents,
      returnUrl: "",
      storesMethod: false,
      methodId,
      at: clock.now(),
    },
  };
  const correlationId = `wallet-${String(accountId)}`;
  const context = { commandId: `request/${paymentKey}`, correlationId, actor: "process:wallet" };
  return endOf(await accounts.commands.execute(paymentAggregate, paymentKey, command, context), "requested");
}
