import type { ServiceImpl } from "@connectrpc/connect";
import {
  bankAggregate,
  dayOf,
  parsed,
  statusOfPayout,
  unparsable,
  type BankState,
  type MakePayoutFile,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { creditTransferFile } from "@hostledger/providers/bank";
import { noSuch, requireAccepted, validated, type WithContextValues } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandContext } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type Handlers = Pick<ServiceImpl<typeof admin.BankAdminService>, "listPayouts" | "makePayoutFile">;

const statuses = ["waiting", "in-file", "paid", "returned"];

/** Creates the staff's handlers of payouts through the bank account. @param ownIban throws without a bank account */
export function payoutFileHandlers(dependencies: AccountDependencies, ownIban: () => string): Handlers {
  const { commands } = dependencies;
  return {
    async listPayouts(request) {
      const isKnown = request.status === "" || statuses.includes(request.status);
      const { status } = validated({
        status: isKnown ? parsed(request.status) : unparsable(`must be one of ${statuses.join(", ")}`),
      });
      const { state } = await commands.load(bankAggregate, ownIban());
      const payouts = [...state.payouts.values()].map((payout) => ({
        reference: payout.endToEndId,
        accountId: BigInt(payout.accountId),
        amountCents: payout.amountCents,
        iban: payout.iban,
        status: statusOfPayout(payout),
        ...defined({ messageId: payout.messageId ?? undefined }),
      }));
      return { payouts: payouts.filter((one) => status === "" || one.status === status) };
    },

    async makePayoutFile({ again }, context) {
      const iban = ownIban();
      if (again === "") return makeFile(dependencies, iban, context);
      const { state } = await commands.load(bankAggregate, iban);
      if (!state.files.has(again)) throw noSuch("file: see hostledger bank payouts");
      return fileMessage(state, again, true);
    },
  };
}

async function makeFile(
  { accounts, bankBic: fromBic = "", clock, commands, installation, payoutFileIds }: AccountDependencies,
  iban: string,
  context: WithContextValues,
) {
  const { state: before } = await commands.load(bankAggregate, iban);
  if (before.waiting.length === 0) return { repeated: true };
  const { seller } = await accounts.terms();
  const at = clock.now();
  const messageId = `${(await installation.named()).part}-F${String(await payoutFileIds.next())}`;
  const command: MakePayoutFile = {
    type: "MakePayoutFile",
    data: {
      messageId,
      fromIban: iban,
      fromBic,
      debtorName: seller.name.slice(0, 140),
      executeOn: dayOf(at),
      at,
    },
  };
  const executed = await commands.execute(
    bankAggregate,
    iban,
    command,
    commandContext(context, `payout-file/${messageId}`),
  );
  requireAccepted(executed);
  // Another process may have made a file of them meanwhile.
  return executed.events.length === 0 ? { repeated: true } : fileMessage(executed.state, messageId, false);
}

function fileMessage({ files, payouts }: BankState, messageId: string, repeated: boolean) {
  const file = files.get(messageId);
  if (file === undefined) throw new Error(`the file ${messageId} was made but is not there`);
  const inFile = file.endToEndIds.flatMap((id) => payouts.get(id) ?? []);
  return {
    messageId,
    file: new TextEncoder().encode(creditTransferFile(file, inFile)),
    payouts: inFile.length,
    amountCents: file.amountCents,
    repeated,
  };
}
