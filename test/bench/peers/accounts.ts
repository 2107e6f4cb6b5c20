import {
  account,
  accountCodec,
  type AccountCommand,
  type AccountEvent,
  type AccountState,
} from "@hostledger/core";
import type { Aggregate, CommandContext, EventToAppend } from "@hostledger/store";
import { systemClock } from "@hostledger/runtime";

const clock = systemClock(0);

/** Edge functions of the benchmark's embedded store. A failure ends the measurement. */
export const storeEdge = {
  now: (): string => clock.now(),
  onFailure(error: Error): never {
    throw error;
  },
};

/** With id, type, time and metadata a row of the events table has about 220 bytes. */
export const smallEvent: Omit<EventToAppend, "id"> = {
  type: "BalanceCharged.v1",
  data: JSON.stringify({ chargeId: "registration-1/charge", invoiceId: 4_711, grossCents: "1190" }),
  metadata: JSON.stringify({ correlationId: "0123456789abcdef", actor: "account:1" }),
};

/** The account as the account service uses it. */
export const accounts: Aggregate<AccountCommand, AccountState, AccountEvent> = {
  category: "account",
  decider: account,
  codec: accountCodec,
};

/** Anything that carries out commands on accounts: the product's handler, or a peer. */
export interface CommandSink {
  execute(
    aggregate: typeof accounts,
    id: string,
    command: AccountCommand,
    context: CommandContext,
  ): Promise<{ readonly accepted: boolean }>;
}

/** Enough for any sample, and far below the largest balance. */
export const openingBalanceCents = 50_000_000_000n;

let lastId = 0;

/** A new charge of 11.90 EUR gross. */
export function chargeCommand(): Extract<AccountCommand, { type: "ChargeBalance" }> {
  lastId += 1;
  return {
    type: "ChargeBalance",
    data: {
      chargeId: `charge-${String(lastId)}`,
      action: "purchase",
      lines: [{ description: "Registration of bench.com, 1 year", quantity: 1, unitNetCents: 1_000n }],
      pricesIncludeVat: false,
      duration: 1,
      domainId: lastId,
      serverId: null,
      planId: null,
      invoiceId: lastId,
      at: clock.now(),
    },
  };
}

/** Charges an account. @throws Error when it is refused: there is money enough. */
export function charge(sink: CommandSink, accountId: number): Promise<void> {
  const command = chargeCommand();
  return send(sink, accountId, command, command.data.chargeId);
}

/** Opens accounts with money on them. @returns their numbers */
export async function openAccounts(
  sink: CommandSink,
  ids: readonly number[],
  atOnce = 500,
): Promise<readonly number[]> {
  for (let start = 0; start < ids.length; start += atOnce) {
    await Promise.all(ids.slice(start, start + atOnce).map((id) => open(sink, id)));
  }
  return ids;
}

/** Returns the commands that open an account with a balance. */
export function openingCommands(accountId: number): readonly AccountCommand[] {
  const at = clock.now();
  lastId += 1;
  return [
    { type: "OpenAccount", data: { accountId, name: "Bench", vatExempt: false, at } },
    {
      type: "CreditBalance",
      data: { reference: "opening", amountCents: openingBalanceCents, invoiceId: lastId, at },
    },
  ];
}

async function open(sink: CommandSink, accountId: number): Promise<void> {
  for (const command of openingCommands(accountId)) {
    await send(sink, accountId, command, `${command.type}-${String(accountId)}`);
  }
}

async function send(
  sink: CommandSink,
  accountId: number,
  command: AccountCommand,
  id: string,
): Promise<void> {
  const context = { commandId: id, correlationId: id, actor: "service:bench" };
  const { accepted } = await sink.execute(accounts, String(accountId), command, context);
  if (!accepted) throw new Error(`the ${command.type} of account ${String(accountId)} was refused`);
}
