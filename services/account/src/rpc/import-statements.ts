import {
  bankAggregate,
  dayOf,
  faultOfStatement,
  namedByReference,
  referencesIn,
  rejection,
  topUpsOfPayment,
  transferMethod,
  type AddressedPayment,
  type BankEvent,
  type BankStatement,
  type KeyedBooking,
  type Payment,
  type Recipient,
} from "@hostledger/core";
import {
  contentHashOf,
  keyedBookings,
  readStatements,
  StatementFileError,
  type RecognisedBooking,
} from "@hostledger/providers/bank";
import { rejectionError, requireAccepted, type WithContextValues } from "@hostledger/rpc";

import { commandContext } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import type { PaymentRow } from "../reads/payment.queries.ts";
import { payments } from "../reads/payments.projection.ts";

/** Currency of all accounts. */
const currency = "EUR";

/** Payments that one append books: their events stay below the store's limit, however long the payers' texts are. */
const paymentsAtOnce = 100;

/** A file for one bank account. */
interface StatementFile {
  readonly iban: string;
  readonly file: Uint8Array;
}

/**
 * Imports a file of statements. Everything is checked before anything is stored. Each entry is booked once, so an import that was
 * cut off is completed by repeating it.
 * @throws ConnectError `validation-failed` for a file that is wrong in any place.
 */
export async function importStatements(
  dependencies: AccountDependencies,
  { iban, file }: StatementFile,
  context: WithContextValues,
) {
  const statements = await checkedStatements(iban, file);
  const imported: Awaited<ReturnType<typeof importStatement>>[] = [];
  for (const statement of statements) imported.push(await importStatement(dependencies, statement, context));
  return {
    statements: imported.map(({ isNew: _, ...statement }) => statement),
    repeated: imported.every(({ isNew }) => !isNew),
  };
}

async function checkedStatements(iban: string, file: Uint8Array): Promise<readonly BankStatement[]> {
  const statements = await readStatements(file).catch((error: unknown) => {
    throw error instanceof StatementFileError ? refusedFile(error.message) : error;
  });
  for (const statement of statements) {
    const fault = faultOfStatement(statement, { iban, currency });
    if (fault !== undefined) throw refusedFile(fault);
  }
  return statements;
}

function refusedFile(message: string): Error {
  return rejectionError(rejection("validation-failed", `Nothing was imported. ${message}`));
}

async function importStatement(
  dependencies: AccountDependencies,
  statement: BankStatement,
  context: WithContextValues,
) {
  const { clock, commands, ids, projector, retainedJournalYears, store } = dependencies;
  const { iban, kind, statementId, opening, closing } = statement;
  const contentSha256 = contentHashOf(statement);
  const entries = statement.bookings.reduce((sum, { payments }) => sum + payments.length, 0);
  const counted = { statementId, kind, entries, booked: 0, matched: 0, parked: 0 };
  const { state } = await commands.load(bankAggregate, iban);
  if (state.statements.has(contentSha256)) return { ...counted, isNew: false };
  const keptUntilYear = Number(dayOf(clock.now()).slice(0, 4)) + retainedJournalYears;
  const execute = async (command: Parameters<typeof bankAggregate.decider.decide>[0]) => {
    const asCommand = commandContext(context, `bank-import/${ids.uuid()}`);
    const executed = await commands.execute(bankAggregate, iban, command, asCommand);
    requireAccepted(executed);
    return executed;
  };
  // References are compared with the top-ups requested until now.
  await projector.after(await store.lastPosition(), { names: [payments.name] });
  for (const bookings of inBatches(keyedBookings(statement))) {
    const addressed = await Promise.all(bookings.map((booking) => addressedBooking(dependencies, booking)));
    const data = { iban, kind, statementId, bookings: addressed, keptUntilYear, at: clock.now() };
    const { events } = await execute({ type: "BookEntries", data });
    counted.booked += countOf(events, "BankEntryBooked");
    counted.matched += countOf(events, "EntryMatched");
    counted.parked += countOf(events, "EntryParked");
  }
  const balances = {
    openingCents: opening?.amountCents ?? null,
    closingCents: closing?.amountCents ?? null,
  };
  const data = { iban, kind, statementId, contentSha256, ...balances, entries, at: clock.now() };
  const { position } = await execute({ type: "FinishStatement", data });
  await projector.after(position);
  return { ...counted, isNew: true };
}

function countOf(events: readonly BankEvent[], type: BankEvent["type"]): number {
  return events.filter((event) => event.type === type).length;
}

/** Cuts bookings into batches; no booking has more payments than a batch. */
function inBatches(bookings: readonly RecognisedBooking[]): readonly (readonly RecognisedBooking[])[] {
  const batches: RecognisedBooking[][] = [];
  let payments = paymentsAtOnce;
  for (const booking of bookings) {
    payments += booking.payments.length;
    if (payments > paymentsAtOnce) {
      batches.push([]);
      payments = booking.payments.length;
    }
    batches.at(-1)?.push(booking);
  }
  return batches;
}

async function addressedBooking(
  dependencies: Recipients,
  { payments, currency: _, ...booking }: RecognisedBooking,
): Promise<KeyedBooking> {
  const addressed = await Promise.all(
    payments.map(async (payment): Promise<AddressedPayment> => ({
      ...payment,
      recipient: booking.isReversal ? { because: "reversal" } : await recipientOf(dependencies, payment),
    })),
  );
  return { ...booking, payments: addressed };
}

type Recipients = Pick<AccountDependencies, "accounts" | "queries">;

/** Finds the account, and the top-up, that a payment names by its reference. */
async function recipientOf(
  { accounts, queries }: Recipients,
  { amountCents, creditorReference, remittance, endToEndId }: Payment,
): Promise<Recipient> {
  if (amountCents <= 0n) return { because: "no-reference" };
  const texts = [creditorReference, remittance, endToEndId];
  const references = new Set(texts.flatMap(referencesIn));
  const named = [...references].flatMap((reference) => namedByReference(reference) ?? []);
  const accountIds = new Set(named.map((one) => one.accountId));
  const [accountId] = accountIds;
  if (accountId === undefined) return { because: "no-reference" };
  if (accountIds.size > 1) return { because: "several-references" };
  // Oldest first, as the law divides a payment whose payer does not say otherwise.
  const paymentIds = [...new Set(named.flatMap((one) => one.paymentId ?? []))].sort(
    (one, other) => one - other,
  );
  if (paymentIds.length > topUpsOfPayment) return { because: "several-references" };
  const topUps = await Promise.all(paymentIds.map((paymentId) => queries.paymentById(paymentId)));
  const isOwn = (row: (typeof topUps)[number]): row is PaymentRow =>
    row?.account_id === accountId && row.method === transferMethod;
  // A reference that was never issued, for example in a backup of the store that staff accepted.
  if (!topUps.every(isOwn)) return { because: "unknown-account" };
  const found = await accounts.find(accountId);
  if (found === undefined) return { because: "unknown-account" };
  if (found.account.erasedAt !== undefined) return { because: "account-erased" };
  return {
    accountId,
    topUps: topUps.map(({ stream_key: paymentKey, amount_cents: requested }) => ({
      paymentKey,
      requestedCents: BigInt(requested),
    })),
  };
}
