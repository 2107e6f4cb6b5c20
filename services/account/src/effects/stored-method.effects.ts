import {
  accountAggregate,
  asLine,
  mayCharge,
  nextOfMethodRemoval,
  paymentAggregate,
  walletAggregate,
  type MethodRemovalEffect,
  type WalletCommand,
  type WalletMethod,
} from "@hostledger/core";
import type { StoredMethod } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";
import {
  refusalOf,
  unusedId,
  type AccountCommands,
  type CommandContext,
  type Executed,
  type IdSequence,
} from "@hostledger/store";
import { endOf, requestDailyWorkTicket, workKind, type AnyWorkKind } from "@hostledger/work";

import { methodRemovalKind } from "../reads/account.tables.ts";
import { postponed, retry } from "./pauses.ts";
import { atProvider, type ConfiguredProviders } from "./payment-work.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface WalletOptions extends ConfiguredProviders {
  readonly accounts: AccountCommands;
  readonly clock: Clock;
  readonly methodIds: IdSequence;
  /** True while the store is an older backup that staff have not accepted. */
  readonly refusesWrites: () => boolean;
}

/** Maximum characters of a method's description. */
const longestLabel = 100;

/** The method that pays a payment. */
export interface PayingMethod {
  /** The provider's id of the method. */
  readonly providerMethod: string;
  /** False if the customer's consent ended, so that no payment is ordered on the method. */
  readonly mayBeCharged: boolean;
}

/** Finds the stored method that pays a payment; undefined if the customer pays on a page. */
export async function findPayingMethod(
  { accounts }: Pick<WalletOptions, "accounts">,
  { accountId, methodId }: { readonly accountId: number; readonly methodId: number | null },
): Promise<PayingMethod | undefined> {
  if (methodId === null) return undefined;
  const { state: wallet } = await accounts.commands.load(walletAggregate, String(accountId));
  const { state: account } = await accounts.commands.load(accountAggregate, String(accountId));
  const isErased = account.status === "open" && account.erasedAt !== undefined;
  const providerMethod = wallet.methods.get(methodId)?.providerMethod ?? "";
  return { providerMethod, mayBeCharged: mayCharge(wallet, methodId) && !isErased };
}

/** Records the method that the provider stored with a payment, once, if the customer agreed. */
export async function recordStoredMethod(
  options: Pick<WalletOptions, "accounts" | "clock" | "methodIds">,
  paymentKey: string,
  stored: StoredMethod,
): Promise<void> {
  const { accounts, clock, methodIds } = options;
  const { state: payment } = await accounts.commands.load(paymentAggregate, paymentKey);
  if (payment.status === "absent" || !payment.requested.storesMethod) return;
  const { accountId, paymentId, provider } = payment.requested;
  const { state: wallet } = await accounts.commands.load(walletAggregate, String(accountId));
  const isKnown = [...wallet.methods.values()].some(({ providerMethod }) => providerMethod === stored.id);
  if (isKnown || !/^[\x21-\x7e]{1,200}$/.test(stored.id)) return;
  const commandOf = (methodId: number): WalletCommand => ({
    type: "StoreMethod",
    data: {
      accountId,
      methodId,
      provider,
      providerMethod: stored.id,
      kind: stored.kind,
      label: asLine(stored.label, longestLabel, stored.kind),
      paymentId,
      at: clock.now(),
    },
  });
  const { commands } = accounts;
  const refusal = await refusalOf(commands, walletAggregate, String(accountId), commandOf(unusedId));
  // A method that cannot be stored does not keep the payment from being settled.
  if (refusal !== undefined) return;
  const command = commandOf(await methodIds.next());
  await changeWallet(options, accountId, command, `store-method/${paymentKey}`);
}

/** Executes a command on an account's wallet for the work engine. @param step names the command among those of the wallet */
export function changeWallet(
  { accounts }: Pick<WalletOptions, "accounts">,
  accountId: number,
  command: WalletCommand,
  step: string,
): Promise<Executed<unknown, unknown>> {
  const correlationId = `wallet-${String(accountId)}`;
  const context: CommandContext = {
    commandId: `${correlationId}/${step}`,
    correlationId,
    actor: "process:wallet",
  };
  return accounts.commands.execute(walletAggregate, String(accountId), command, context);
}

/**
 * Returns the work that removes withdrawn methods at the payment provider, until the provider agrees. Its keys are an account and a
 * method, separated by a slash. A removal is safe to repeat.
 */
export function methodRemovalWork(options: WalletOptions): AnyWorkKind {
  const { accounts, clock, refusesWrites } = options;
  return workKind<WalletMethod, MethodRemovalEffect>({
    name: methodRemovalKind,
    // A consent ends whatever the clock says.
    needsTrustedTime: false,
    async load(key) {
      const { accountId, methodId } = partsOf(key);
      const { state } = await accounts.commands.load(walletAggregate, String(accountId));
      return state.methods.get(methodId);
    },
    next: nextOfMethodRemoval,
    effects: {
      remove: {
        retry,
        async carryOut({ method: { methodId, provider: name, providerMethod, accountId } }) {
          if (refusesWrites()) return postponed;
          return atProvider(options, name, async (provider) => {
            const answer = await provider.removeMethod(providerMethod);
            if (answer.outcome !== "done") return { outcome: "failed", reason: answer.message };
            const data = { accountId, methodId, at: clock.now() };
            const command = { type: "RecordMethodRemoved", data } as const;
            const executed = await changeWallet(options, accountId, command, `removed/${String(methodId)}`);
            return endOf(executed, "removed");
          });
        },
      },
    },
    tellOfFailures: (_key, reason) =>
      requestDailyWorkTicket(
        ticketOptions(options),
        { work: methodRemovalKind, about: "withdrawn payment methods" },
        reason,
      ),
  });
}

function partsOf(key: string): { readonly accountId: number; readonly methodId: number } {
  const [accountId, methodId] = key.split("/");
  return { accountId: Number(accountId), methodId: Number(methodId) };
}
