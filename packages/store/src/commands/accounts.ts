import {
  accountAggregate,
  issueDate,
  keptUntilYear,
  quoteCharge,
  rejection,
  unnamedTerms,
  type AccountCommand,
  type AccountEvent,
  type AccountState,
  type ChargeOrder,
  type IssuingTerms,
  type OpenAccountState,
  type RefundOrder,
  type Rejection,
  type Totals,
} from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";

import type { EventStore } from "../event-store.port.ts";
import type { CommandHandler, Executed, Loaded } from "./command-handler.port.ts";
import type { CommandContext } from "./event-metadata.ts";
import { createIdSequence, type IdSequence } from "./id-sequence.ts";
import { recentMs } from "./recent-state.ts";
import { refusalOf, unusedId } from "./refusal-of.ts";

/** The `recordedBy` of account events, whichever service appends them. */
export const accountRecorder = "account-service";

/** The actor and request of a charge or refund. The command's id derives from the charge's id. */
export type OrderContext = Omit<CommandContext, "commandId">;

/** An open account and the end of its stream. */
export interface FoundAccount extends Omit<Loaded<AccountState>, "state"> {
  readonly account: OpenAccountState;
}

/** An account's answer to an order: the result or the refusal. */
export type AccountAnswer<Done> =
  | ({ readonly accepted: true } & Done)
  | { readonly accepted: false; readonly rejection: Rejection };

export type AccountCharge = NonNullable<ReturnType<OpenAccountState["charges"]["get"]>>;

/** A charge made by this order or by an earlier order with the same id. */
export interface MadeCharge<Charge = AccountCharge> {
  readonly charge: Charge;
  readonly isNew: boolean;
}

export interface RefundResult {
  readonly correctionId: number;
  readonly grossCents: bigint;
}

/** The part of an account's state that services use. */
export type PayingAccount = Pick<
  OpenAccountState,
  "accountId" | "balanceCents" | "vatExempt" | "erasedAt" | "profile"
>;

/** The priced part of an order for a domain or server: its lines. */
export type AskedPrice = Pick<ChargeOrder, "lines" | "pricesIncludeVat" | "domainId" | "serverId">;

export interface PricedOrder extends Totals {
  /** Fields of the profile without which nothing is charged. */
  readonly missing: readonly string[];
  readonly availableCents: bigint;
}

/** Account operations for every service. Each call folds the stream `account-<id>` and decides in this process. */
export interface Accounts {
  /**
   * Finds an open account.
   * @param maxAgeMs the state may be this old, in milliseconds, but never more than a second.
   * @returns undefined if the account does not exist; this answer is never based on an old state.
   */
  find(accountId: number, maxAgeMs?: number): Promise<{ readonly account: PayingAccount } | undefined>;
  /**
   * Prices an order for an account by its present profile.
   * @param maxAgeMs as for `find`.
   * @returns undefined if the account does not exist.
   */
  quote(accountId: number, asked: AskedPrice, maxAgeMs?: number): Promise<PricedOrder | undefined>;
  /**
   * Checks that an invoice to the account could be stored now. It names its buyer, sealed (ADR 0186), so the key must be
   * there. Call it before an order reserves anything.
   * @throws TemporarilyUnavailableError if the keys cannot be read or are missing.
   */
  requireDocumentKey(accountId: number): Promise<void>;
  /** Charges an order: the charge and its invoice are one append. A charge id charges only once. */
  charge(
    order: ChargeOrder,
    context: OrderContext,
  ): Promise<AccountAnswer<MadeCharge<Pick<AccountCharge, "invoiceId" | "grossCents">>>>;
  /** Returns a charge in full, once. */
  refund(order: RefundOrder, context: OrderContext): Promise<AccountAnswer<RefundResult>>;
}

/** Further operations, for the account service only. */
export interface AccountCommands extends Accounts {
  /** The process's only command handler for account streams. */
  readonly commands: CommandHandler;
  readonly invoiceIds: IdSequence;
  /** Returns the seller and the taxes in force. The first call records the seller of the settings. */
  terms(): Promise<IssuingTerms>;
  find(accountId: number, maxAgeMs?: number): Promise<FoundAccount | undefined>;
  charge(order: ChargeOrder, context: OrderContext): Promise<AccountAnswer<MadeCharge>>;
  /**
   * Executes a command on an account. After staff accepted an older backup of the store, the next document begins a new
   * series.
   */
  execute(
    accountId: number,
    command: AccountCommand,
    context: CommandContext,
  ): Promise<Executed<AccountState, AccountEvent>>;
}

export interface AccountsOptions {
  readonly store: Pick<EventStore, "lineage">;
  /** Records as `accountRecorder`. */
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "uuid">;
  /** Reads the inputs that documents freeze; absent: the placeholder sells, and the flat rule taxes. */
  readonly issuingTerms?: () => Promise<IssuingTerms>;
  /**
   * Obtains the key that seals the buyer on documents of an account that are kept until the end of a year. Default: nothing is
   * sealed.
   */
  readonly obtainDocumentKey?: (accountId: number, keptUntilYear: number) => Promise<unknown>;
  /**
   * True while no money may move, because the store was restored from an older backup that staff have not accepted. Default:
   * never.
   */
  readonly refusesWrites?: () => boolean;
}

const documented: ReadonlySet<AccountCommand["type"]> = new Set([
  "ChargeBalance",
  "CreditBalance",
  "GrantRefund",
  "RefundCharge",
  "RefundRegistration",
  "ReverseTopUp",
]);

export function createAccounts(options: AccountsOptions): AccountCommands {
  const { commands, clock, ids, refusesWrites = () => false } = options;
  const newCommandId = (): string => ids.uuid();
  const invoiceIds = createIdSequence({ commands, name: "invoice", blockSize: 1_000, newCommandId });

  /** Decides without an id first, so that a refusal uses no id. */
  async function order(
    accountId: number,
    chargeId: string,
    commandOf: (documentId: number) => AccountCommand,
    context: CommandContext,
  ): Promise<AccountAnswer<MadeCharge>> {
    const refusal = refusesWrites()
      ? rejection("store-rewound", undefined, { retryAfterSeconds: 60 })
      : await refusalOf(commands, accountAggregate, String(accountId), commandOf(unusedId));
    if (refusal !== undefined) return { accepted: false, rejection: refusal };
    const executed = await execute(options, accountId, commandOf(await invoiceIds.next()), context);
    if (!executed.accepted) return executed;
    const charge = executed.state.status === "open" ? executed.state.charges.get(chargeId) : undefined;
    if (charge === undefined)
      throw new Error(`the account ${String(accountId)} took an order but has no charge ${chargeId}`);
    return { accepted: true, charge, isNew: executed.events.length > 0 };
  }

  return {
    commands,
    invoiceIds,
    terms: async () => (await termsOf(options)).terms ?? unnamedTerms,
    find: (accountId, maxAgeMs) => find(options, accountId, maxAgeMs),
    execute: (accountId, command, context) => execute(options, accountId, command, context),

    async quote(accountId, asked, maxAgeMs) {
      const found = await find(options, accountId, maxAgeMs);
      if (found === undefined) return undefined;
      const data = { ...asked, ...(await termsOf(options)), at: clock.now() };
      const { totals, missing } = quoteCharge(data, found.account);
      return { ...totals, missing, availableCents: found.account.balanceCents };
    },

    async requireDocumentKey(accountId) {
      const found = await find(options, accountId, recentMs);
      if (found === undefined) return;
      const { terms = unnamedTerms } = await termsOf(options);
      const businessDate = issueDate(terms, clock.now(), found.account);
      await options.obtainDocumentKey?.(accountId, keptUntilYear(businessDate, terms));
    },

    async charge({ accountId, ...asked }, context) {
      const { chargeId } = asked;
      const data = { ...asked, ...(await termsOf(options)), at: clock.now() };
      const commandOf = (invoiceId: number) =>
        ({ type: "ChargeBalance", data: { ...data, invoiceId } }) as const;
      return order(accountId, chargeId, commandOf, { ...context, commandId: `charge/${chargeId}` });
    },

    async refund({ accountId, of, chargeId, reason }, context) {
      const type = of === "registration" ? "RefundRegistration" : "RefundCharge";
      const asked = { chargeId, reason, ...(await termsOf(options)), at: clock.now() };
      const commandOf = (correctionId: number) => ({ type, data: { ...asked, correctionId } }) as const;
      const commandId = `refund/${chargeId}`;
      const answer = await order(accountId, chargeId, commandOf, { ...context, commandId });
      if (!answer.accepted) return answer;
      const { charge } = answer;
      // Staff may have returned the whole charge before its order was undone.
      const correctionId = charge.refundedBy ?? charge.refunds.at(-1)?.correctionId;
      if (correctionId === undefined)
        throw new Error(`the refund of ${chargeId} was accepted but is not there`);
      return { accepted: true, correctionId, grossCents: charge.grossCents };
    },
  };
}

async function find(
  { commands }: AccountsOptions,
  accountId: number,
  maxAgeMs = 0,
): Promise<FoundAccount | undefined> {
  for (const ageMs of maxAgeMs > 0 ? [Math.min(maxAgeMs, recentMs), 0] : [0]) {
    const { state, ...place } = await commands.load(accountAggregate, String(accountId), ageMs);
    if (state.status === "open") return { account: state, ...place };
  }
  return undefined;
}

async function execute(
  options: AccountsOptions,
  accountId: number,
  command: AccountCommand,
  context: CommandContext,
): Promise<Executed<AccountState, AccountEvent>> {
  const id = String(accountId);
  if (documented.has(command.type)) await beginDocumentSeries(options, id, context);
  return options.commands.execute(accountAggregate, id, await withTerms(options, command), context);
}

/** Adds the frozen terms to a command that issues a document without them. */
async function withTerms(options: AccountsOptions, command: AccountCommand): Promise<AccountCommand> {
  switch (command.type) {
    case "CreditBalance":
      return { ...command, data: { ...(await termsOf(options)), ...command.data } };
    case "GrantRefund":
      return { ...command, data: { ...(await termsOf(options)), ...command.data } };
    case "ReverseTopUp":
      return { ...command, data: { ...(await termsOf(options)), ...command.data } };
    case "ChargeBalance":
      return { ...command, data: { ...(await termsOf(options)), ...command.data } };
    case "RefundCharge":
    case "RefundRegistration":
      return { ...command, data: { ...(await termsOf(options)), ...command.data } };
    default:
      return command;
  }
}

async function termsOf({ issuingTerms }: AccountsOptions): Promise<{ readonly terms?: IssuingTerms }> {
  return issuingTerms === undefined ? {} : { terms: await issuingTerms() };
}

/** Begins a new series of document numbers after the store was restored from an older backup. */
async function beginDocumentSeries(
  { commands, clock, store }: AccountsOptions,
  id: string,
  { actor, correlationId }: OrderContext,
): Promise<void> {
  const series = store.lineage?.series ?? 0;
  if (series === 0) return;
  const { state } = await commands.load(accountAggregate, id, recentMs);
  if (state.status !== "open" || state.documentSeries >= series) return;
  await commands.execute(
    accountAggregate,
    id,
    { type: "BeginDocumentSeries", data: { series, at: clock.now() } },
    { commandId: `document-series/${String(series)}`, correlationId, actor },
  );
}
