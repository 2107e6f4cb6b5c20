import type { ServiceImpl } from "@connectrpc/connect";
import {
  accountOfDocument,
  formatEuros,
  leftToRefund,
  parseLine,
  parseStaffReason,
  parsed,
  rejection,
  type OpenAccountState,
} from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestedId,
  requestedPage,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, refuseBefore } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import type { ChargeRow } from "../reads/account.queries.ts";
import { staffInvoiceMessage } from "./account.message.ts";
import { maximumReferenceLength, parseAmount } from "./adjustments.ts";
import { requireApproval, type MoneyRequest } from "./approvals.ts";

type Charge = NonNullable<ReturnType<OpenAccountState["charges"]["get"]>>;

/** Maximum corrections shown per charge. */
const mostCorrections = 1_000;

/** Creates the staff's handlers that show and refund charges. */
export function refundHandlers(
  dependencies: AccountDependencies,
): Pick<ServiceImpl<typeof admin.AccountAdminService>, "listCharges" | "showCharge" | "refundCharge"> {
  const { projector, queries } = dependencies;
  return {
    async listCharges(request) {
      const page = requestedPage(request.page);
      const wanted = request.accountId;
      const accountId = wanted === undefined ? 0 : requestedId("account", wanted);
      if (accountId !== 0) await projector.after((await findAccount(dependencies, accountId)).position);
      return { charges: (await queries.charges(accountId, page)).map(chargeMessage) };
    },

    async showCharge(request) {
      const { charge_or_invoice: wanted } = validated({
        charge_or_invoice: parseLine(request.chargeOrInvoice, maximumReferenceLength),
      });
      const { charge, accountId } = await findCharge(dependencies, wanted);
      await projector.after((await findAccount(dependencies, accountId)).position);
      const row = await queries.chargeOfInvoice(charge.invoiceId);
      if (row === undefined) throw rejectionError(rejection("charge-not-found"));
      const corrections = await queries.correctionsOf(charge.invoiceId, mostCorrections);
      return { charge: chargeMessage(row), corrections: corrections.map(staffInvoiceMessage) };
    },

    async refundCharge(request, context) {
      const staff = requireStaff(context);
      const {
        charge_or_invoice: wanted,
        amount: asked,
        reason,
      } = validated({
        charge_or_invoice: parseLine(request.chargeOrInvoice, maximumReferenceLength),
        amount: request.amountCents === undefined ? parsed(undefined) : parseAmount(request.amountCents),
        reason: parseStaffReason(request.reason),
      });
      const { accountId, charge } = await findCharge(dependencies, wanted);
      const amountCents = asked ?? amountOfRest(charge, reason);
      const { chargeId: reference } = charge;
      const requested = {
        accountId,
        kind: "refund",
        amountCents,
        reference,
        reason,
        debtAllowed: false,
      } as const;
      // Checked first: repeats and rejected refunds need no approval.
      if (!isMade(charge, requested)) {
        if (amountCents > leftToRefund(charge)) throw tooMuch(charge);
        await requireApproval(dependencies, staff, requested, context);
      }
      return grantRefund(dependencies, requested, context);
    },
  };
}

function chargeMessage(row: ChargeRow) {
  return {
    chargeId: row.cause,
    accountId: BigInt(row.account_id),
    invoiceId: BigInt(row.id),
    invoiceNumber: row.number,
    action: row.action,
    grossCents: BigInt(row.gross_cents),
    // Corrections have negative amounts.
    refundedCents: -BigInt(row.refunded_cents ?? 0),
    chargedAt: row.created_at,
  };
}

/** Refunds an approved amount; a repeat with equal amount and reason refunds once. @throws ConnectError for a rejection. */
export async function grantRefund(
  dependencies: AccountDependencies,
  requested: MoneyRequest,
  context: WithContextValues,
): Promise<Refunded> {
  const { accounts, clock, projector } = dependencies;
  const { accountId, amountCents, reference: chargeId, reason } = requested;
  const asked = { chargeId, amountCents, reason, at: clock.now() };
  await refuseBefore(dependencies, accountId, {
    type: "GrantRefund",
    data: { ...asked, correctionId: unusedId },
  });
  const correctionId = await accounts.invoiceIds.next();
  const data = { ...asked, correctionId };
  const { account, position, events } = await commandAccount(
    dependencies,
    accountId,
    { type: "GrantRefund", data },
    commandContext(context, `refund/${chargeId}/${String(correctionId)}`),
  );
  await projector.after(position);
  const made = account.charges.get(chargeId)?.refunds.find((one) => isSame(one, requested));
  if (made === undefined) throw new Error(`the refund of ${chargeId} was accepted but is not there`);
  return {
    correctionId: BigInt(made.correctionId),
    balanceCents: account.balanceCents,
    accountId: BigInt(accountId),
    amountCents,
    repeated: events.length === 0,
  };
}

interface Refunded {
  readonly correctionId: bigint;
  readonly balanceCents: bigint;
  readonly accountId: bigint;
  readonly amountCents: bigint;
  readonly repeated: boolean;
}

type Made = Charge["refunds"][number];

function isSame(one: Made, { amountCents, reason }: Pick<MoneyRequest, "amountCents" | "reason">): boolean {
  return one.grossCents === amountCents && one.reason === reason;
}

function isMade({ refunds }: Charge, requested: MoneyRequest): boolean {
  return refunds.some((one) => isSame(one, requested));
}

/** Returns the unrefunded amount, or that of the last equal refund. @throws ConnectError for a rejection */
function amountOfRest(charge: Charge, reason: string): bigint {
  const left = leftToRefund(charge);
  if (left > 0n) return left;
  const last = charge.refunds.at(-1);
  if (last?.reason !== reason) throw tooMuch(charge);
  return last.grossCents;
}

function tooMuch(charge: Charge): Error {
  const left = formatEuros(leftToRefund(charge));
  return rejectionError(rejection("validation-failed", `${left} EUR of the charge are left to refund.`));
}

/** Finds a charge by its id, or its invoice's id or number. @throws ConnectError `charge-not-found` */
async function findCharge(
  dependencies: AccountDependencies,
  wanted: string,
): Promise<{ readonly accountId: number; readonly charge: Charge }> {
  const found = await ownerOfCharge(dependencies, wanted);
  if (found === undefined) throw rejectionError(rejection("charge-not-found"));
  const { account } = await findAccount(dependencies, found.accountId);
  const charge = account.charges.ofInvoice(found.invoice);
  if (charge === undefined) throw rejectionError(rejection("charge-not-found"));
  return { accountId: found.accountId, charge };
}

/** Finds the account of a charge. @throws ConnectError if several accounts have charges with this id */
async function ownerOfCharge(
  { queries }: AccountDependencies,
  wanted: string,
): Promise<{ readonly accountId: number; readonly invoice: number | string } | undefined> {
  const owner = accountOfDocument(wanted);
  if (owner !== undefined) return { accountId: owner, invoice: wanted };
  const isId = /^[1-9]\d{0,14}$/u.test(wanted);
  const [row, other] = isId
    ? [await queries.invoiceById(Number(wanted))]
    : await queries.invoicesOfCharge(wanted);
  if (other !== undefined)
    throw rejectionError(
      rejection("validation-failed", "Several accounts have a charge of this name: name the invoice.", {
        fieldErrors: { charge_or_invoice: ["must be the number of the invoice"] },
      }),
    );
  return row && { accountId: row.account_id, invoice: row.id };
}
