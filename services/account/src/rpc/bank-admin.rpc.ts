import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  accountReference,
  bankAggregate,
  epcQr,
  longestStaffReason,
  parsed,
  parseLine,
  proposedAccounts,
  rejection,
  unparsable,
  type BankEntry,
  type BankState,
  type Parsed,
} from "@hostledger/core";
import { statementFileLimits } from "@hostledger/providers/bank";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestedId,
  requestedPage,
  requireAccepted,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { parseAmount } from "./adjustments.ts";
import { assignEntry, ownerOf, type Assigned } from "./bank-matching.ts";
import { importStatements } from "./import-statements.ts";
import { listProviderMovements } from "./provider-movements.ts";
import { payoutFileHandlers } from "./payout-files.ts";
import { transferTarget } from "./transfer-details.ts";

type Handlers = ServiceImpl<typeof admin.BankAdminService>;

/** The largest request of the service: a file, and a little around it. */
export const bankFileLimits = { readMaxBytes: statementFileLimits.bytes + 65_536 };

const statuses = ["parked", "matched", "provider", "returned", "outgoing", "payout-returned"];

/** Creates staff's handlers of the operator's bank account (stream `bank-<iban>`, ADR 0195). */
export function bankAdminRpc(dependencies: AccountDependencies): Handlers {
  const { clock, commands, ids, postings } = dependencies;
  const inTurn = <Answer>(context: WithContextValues, post: () => Promise<Answer>): Promise<Answer> =>
    postings.run(requireStaff(context).name, post);
  return {
    importStatements: (request, context) =>
      importStatements(dependencies, { iban: ownIban(dependencies), file: request.file }, context),

    async listBankEntries(request) {
      const { afterId, limit } = requestedPage(request.page);
      const { status } = validated({ status: parseStatus(request.status) });
      const { state } = await commands.load(bankAggregate, ownIban(dependencies));
      const listed: BankEntry[] = [];
      for (let id = afterId + 1; id <= state.entries.size && listed.length < limit; id += 1) {
        const entry = state.entries.get(id);
        if (entry !== undefined && (status === "" || entry.status === status)) listed.push(entry);
      }
      return { entries: listed.map((entry) => entryMessage(entry, state)) };
    },

    matchBankEntry: (request, context) =>
      inTurn(context, async () => {
        if (request.provider !== "") return matchToProvider(dependencies, request, context);
        const asked = { ...assigningOf(dependencies, request), reason: "" };
        return assignedMessage(await assignEntry(dependencies, "MatchEntry", asked, context));
      }),

    reassignBankEntry: (request, context) =>
      inTurn(context, async () => {
        const { reason } = validated({ reason: parseLine(request.reason, longestStaffReason) });
        const asked = { ...assigningOf(dependencies, request), reason };
        return assignedMessage(await assignEntry(dependencies, "ReassignEntry", asked, context));
      }),

    async returnBankEntry(request, context) {
      const iban = ownIban(dependencies);
      const entryId = requestedId("entry", request.entryId);
      const { reason } = validated({ reason: parseLine(request.reason, longestStaffReason) });
      const command = { type: "ReturnEntry", data: { entryId, reason, at: clock.now() } } as const;
      const asCommand = commandContext(context, `bank/${String(entryId)}/${ids.uuid()}`);
      const executed = await commands.execute(bankAggregate, iban, command, asCommand);
      requireAccepted(executed);
      const entry = executed.state.entries.get(entryId);
      return {
        ...(entry && { entry: entryMessage(entry, executed.state) }),
        repeated: executed.events.length === 0,
      };
    },

    ...payoutFileHandlers(dependencies, () => ownIban(dependencies)),

    listProviderMovements: (request) => listProviderMovements(dependencies, request),

    async showTransferDetails(request) {
      const accountId = requestedId("account", request.accountId);
      const { amountCents } = validated({ amountCents: parseIfGiven(request.amountCents) });
      await findAccount(dependencies, accountId);
      const target = await transferTarget(dependencies);
      if (target === undefined) throw noBankAccount();
      const { name, iban } = target;
      const reference = accountReference(accountId);
      return { name, iban, reference, epcQr: epcQr({ ...target, reference, amountCents }) };
    },
  };
}

/** Returns the operator's IBAN. @throws ConnectError `validation-failed` without one */
function ownIban({ bankIban }: Pick<AccountDependencies, "bankIban">): string {
  if (bankIban !== undefined) return bankIban;
  throw noBankAccount();
}

function noBankAccount(): Error {
  return rejectionError(
    rejection(
      "validation-failed",
      "No bank account is configured: set HOSTLEDGER_BANK_IBAN to your IBAN and restart.",
    ),
  );
}

function assigningOf(
  dependencies: Pick<AccountDependencies, "bankIban">,
  request: Pick<admin.MatchBankEntryRequest, "entryId" | "accountId">,
) {
  return {
    iban: ownIban(dependencies),
    entryId: requestedId("entry", request.entryId),
    accountId: requestedId("account", request.accountId),
  };
}

/** Records that a payment is between the operator and the payment provider. @throws ConnectError for a rejection */
async function matchToProvider(
  dependencies: AccountDependencies,
  request: admin.MatchBankEntryRequest,
  context: WithContextValues,
) {
  const { clock, commands, ids, payments } = dependencies;
  const iban = ownIban(dependencies);
  const entryId = requestedId("entry", request.entryId);
  const known = [payments?.provider, payments?.formerProvider].flatMap(
    (configured) => configured?.name ?? [],
  );
  const { provider } = validated({ provider: parseProvider(request, known) });
  const command = { type: "MatchEntryToProvider", data: { entryId, provider, at: clock.now() } } as const;
  const asCommand = commandContext(context, `bank/${String(entryId)}/${ids.uuid()}`);
  const executed = await commands.execute(bankAggregate, iban, command, asCommand);
  requireAccepted(executed);
  const entry = executed.state.entries.get(entryId);
  return {
    ...(entry && { entry: entryMessage(entry, executed.state) }),
    balanceCents: 0n,
    repeated: executed.events.length === 0,
  };
}

function parseProvider(
  { accountId, provider }: admin.MatchBankEntryRequest,
  known: readonly string[],
): Parsed<string> {
  if (accountId !== 0n) return unparsable("names a payment provider, so leave out the account");
  if (known.includes(provider)) return parsed(provider);
  return unparsable(
    known.length === 0
      ? "cannot be named: set HOSTLEDGER_PAYMENTS first"
      : `must be ${known.join(" or ")}, who takes payments here`,
  );
}

function parseIfGiven(cents: bigint | undefined): Parsed<bigint | undefined> {
  return cents === undefined ? parsed(undefined) : parseAmount(cents);
}

function parseStatus(status: string): Parsed<string> {
  if (status === "" || statuses.includes(status)) return parsed(status);
  return unparsable(`must be one of ${statuses.join(", ")}`);
}

function assignedMessage({ entry, state, balanceCents, repeated }: Assigned) {
  return { entry: entryMessage(entry, state), balanceCents, repeated };
}

function entryMessage(entry: BankEntry, state: BankState): MessageInitShape<typeof admin.BankEntrySchema> {
  const { entryId, amountCents, bookedOn, status, counterpartyName, counterpartyIban, remittance } = entry;
  const { creditorReference, bankReference } = entry;
  const accountId = ownerOf(entry);
  return {
    id: BigInt(entryId),
    amountCents,
    bookedOn,
    status,
    counterpartyName,
    counterpartyIban,
    remittance,
    creditorReference,
    bankReference,
    proposedAccountIds: entry.status === "parked" ? proposedAccounts(entry, state).map(BigInt) : [],
    ...defined({
      because: entry.status === "parked" ? entry.because : undefined,
      accountId: accountId === undefined ? undefined : BigInt(accountId),
      topUpReference: entry.status === "matched" ? entry.assignments.at(-1)?.topUpReference : undefined,
    }),
  };
}
