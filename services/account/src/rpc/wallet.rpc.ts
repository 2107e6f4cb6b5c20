import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  mostStoredMethods,
  rejection,
  storedMethods,
  walletAggregate,
  type AutoTopUp,
  type WalletCommand,
  type WalletState,
} from "@hostledger/core";
import type { account } from "@hostledger/protocol";
import {
  rejectionError,
  requestContextOf,
  conditionOf,
  requestedSelection,
  selectItems,
  requireAccepted,
  requireAccount,
  useQuota,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { refusalOf } from "@hostledger/store";

import { commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type Handlers = Pick<
  ServiceImpl<typeof account.PaymentService>,
  "listMethods" | "withdrawMethod" | "getAutoTopUp" | "getAutoTopUpRevision" | "setAutoTopUp"
>;

/** Stored payment methods of customers, and automatic top-ups. */
export function walletRpc(dependencies: AccountDependencies): Handlers {
  const { clock, queries } = dependencies;
  return {
    async listMethods({ page }, context) {
      const { state } = await walletOf(dependencies, context);
      const selected = selectItems(storedMethods(state), requestedSelection(page), (method) => ({
        id: method.methodId,
        createdAt: method.storedAt,
        name: method.label,
      }));
      return {
        methods: selected.map(({ methodId, kind, label, storedAt }) => ({
          methodId: BigInt(methodId),
          kind,
          label,
          createdAt: storedAt,
        })),
      };
    },

    async withdrawMethod({ methodId }, context) {
      const { accountId } = requireAccount(context);
      const owner = await queries.accountOfMethod(Number(methodId));
      if (owner !== undefined && owner !== accountId) throw rejectionError(rejection("unauthorized"));
      const data = { accountId, methodId: Number(methodId), because: "asked", at: clock.now() } as const;
      await change(dependencies, { type: "WithdrawMethod", data }, context);
      return {};
    },

    async getAutoTopUp(_request, context) {
      return { autoTopup: autoTopUpMessage((await walletOf(dependencies, context)).state) };
    },

    async getAutoTopUpRevision(_request, context) {
      const { revision = -1n } = await walletOf(dependencies, context);
      return { revision };
    },

    async setAutoTopUp({ terms }, context) {
      const { accountId } = requireAccount(context);
      const { account: payer } = await findAccount(dependencies, accountId);
      if (terms !== undefined && payer.erasedAt !== undefined)
        throw rejectionError(
          rejection("account-not-open", "The account's personal data was erased: it takes no new payment."),
        );
      const data = { accountId, terms: terms && termsOf(terms), at: clock.now() };
      await change(dependencies, { type: "SetAutoTopUp", data }, context);
      return { autoTopup: autoTopUpMessage((await walletOf(dependencies, context)).state) };
    },
  };
}

/** Refuses to store one more method than an account may have. @throws ConnectError `validation-failed` */
export async function refuseFullWallet(
  { commands }: Pick<AccountDependencies, "commands">,
  accountId: number,
): Promise<void> {
  const { state } = await commands.load(walletAggregate, String(accountId));
  if (storedMethods(state).length < mostStoredMethods) return;
  const most = `cannot be true: the account stores ${String(mostStoredMethods)} methods. Delete one first`;
  throw rejectionError(
    rejection("validation-failed", `store_method ${most}.`, {
      fieldErrors: { store_method: [most] },
    }),
  );
}

function walletOf({ commands }: Pick<AccountDependencies, "commands">, context: WithContextValues) {
  return commands.load(walletAggregate, String(requireAccount(context).accountId));
}

/** Changes the caller's wallet. A refused command uses no quota. @throws ConnectError for a rejection */
async function change(
  { commands, dailyQuotas, ids }: AccountDependencies,
  command: WalletCommand,
  context: WithContextValues,
): Promise<void> {
  const accountId = String(command.data.accountId);
  const refusal = await refusalOf(commands, walletAggregate, accountId, command);
  if (refusal !== undefined) throw rejectionError(refusal);
  await useQuota(dailyQuotas, "free_writes_a_day", 1, context);
  const { operationId } = requestContextOf(context);
  const commandId = `wallet/${command.type}/${operationId === "" ? ids.uuid() : operationId}`;
  requireAccepted(
    await commands.execute(walletAggregate, accountId, command, {
      ...commandContext(context, commandId),
      ...conditionOf(requestContextOf(context)),
    }),
  );
}

function termsOf({ thresholdCents, amountCents, methodId }: account.AutoTopUpTerms): AutoTopUp {
  return { thresholdCents, amountCents, methodId: Number(methodId) };
}

function autoTopUpMessage({
  autoTopUp,
  stoppedBecause,
  lastOrder,
}: WalletState): MessageInitShape<typeof account.AutoTopUpSchema> {
  return defined({
    terms: autoTopUp && {
      thresholdCents: autoTopUp.thresholdCents,
      amountCents: autoTopUp.amountCents,
      methodId: BigInt(autoTopUp.methodId),
    },
    stoppedBecause,
    lastTopupId: lastOrder && BigInt(lastOrder.paymentId),
    lastOrderedAt: lastOrder?.orderedAt,
  });
}
