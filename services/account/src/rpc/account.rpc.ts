import type { ServiceImpl } from "@connectrpc/connect";
import {
  isTeamCharge,
  leftToRefund,
  parseId,
  parseLine,
  parsed,
  rejection,
  teamChargeId,
  unparsable,
  type ChargeBalance,
  type Parsed,
  type RefundOrder,
} from "@hostledger/core";
import type { AccountCharge } from "@hostledger/store";
import type { account } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import {
  rejectionError,
  requestContextOf,
  requestedSelection,
  requireService,
  validated,
  requireAccepted,
  type ServiceCaller,
  type WithContextValues,
} from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { readAfterDelivery, getInvoice } from "./get-invoice.rpc.ts";
import { invoiceMessage } from "./account.message.ts";
import { ownKeyHandlers } from "./api-keys.ts";
import { ownAccount } from "./own-account.ts";
import { profileHandlers } from "./profile.ts";
import { resolveApiKey } from "./resolve-api-key.ts";

type AccountHandlers = ServiceImpl<typeof account.AccountService>;

const maximumChargeLines = 100;
const maximumIdLength = 200;

/** Creates the account service's handlers: reads of customers, and charges of internal teams. */
export function accountRpc(dependencies: AccountDependencies): AccountHandlers {
  const { projector, queries } = dependencies;
  return {
    async resolveApiKey(request, context) {
      requireService(context);
      const { accountId, keyId, scopes } = await resolveApiKey(dependencies, request);
      return { accountId: BigInt(accountId), keyId: BigInt(keyId), scopes: [...(scopes ?? [])] };
    },

    async getAccount(request, context) {
      const accountId = ownAccount(request.accountId, context);
      const { account } = await findAccount(dependencies, accountId, request.maxAgeMs);
      const { name, vatExempt, balanceCents, openedAt, erasedAt } = account;
      const known = { accountId: BigInt(accountId), name, vatExempt, balanceCents, openedAt };
      return { ...known, ...defined({ erasedAt }) };
    },

    async listInvoices(request, context) {
      const accountId = ownAccount(request.accountId, context);
      const selection = requestedSelection(request.page);
      await projector.after((await findAccount(dependencies, accountId)).position);
      const rows = await readAfterDelivery(dependencies, () =>
        queries.selectedInvoices(accountId, selection),
      );
      return { invoices: rows.map(invoiceMessage) };
    },

    getInvoice: (request, context) => getInvoice(dependencies, request, context),
    ...ownKeyHandlers(dependencies),
    ...profileHandlers(dependencies),
    ...chargeHandlers(dependencies),
    refundRegistration: (request, context) => refund(dependencies, "registration", request, context),
    refundCharge: (request, context) => refund(dependencies, "charge", request, context),
  };
}

function chargeHandlers({
  accounts,
}: Pick<AccountDependencies, "accounts">): Pick<AccountHandlers, "chargeBalance"> {
  return {
    async chargeBalance(request, context) {
      const service = requireService(context);
      const asked = validated({
        accountId: parseId(request.accountId),
        chargeId: parseChargeId(request.chargeId, service),
        action: parseAction(request.action),
        // A price of zero from a team is a mistake; our own services also sell free items.
        lines: parseLines(request.lines, service.scopes === undefined ? 0n : 1n),
        domainId: parseOptionalId(request.domainId),
        serverId: parseOptionalId(request.serverId),
        planId: parseOptionalId(request.planId),
      });
      const { pricesIncludeVat, duration, asksWhetherNew } = request;
      const order = { ...asked, pricesIncludeVat, duration, supply: null, sold: null };
      const answer = await accounts.charge(order, requestContextOf(context));
      requireAccepted(answer);
      const { charge, isNew } = answer;
      refuseReturned(charge, isNew);
      const { invoiceNumber, netCents, vatCents, grossCents } = charge;
      const charged = { invoiceId: BigInt(charge.invoiceId), invoiceNumber, netCents, vatCents, grossCents };
      return asksWhetherNew ? { ...charged, isNew } : charged;
    },
  };
}

/** Refuses a team's repeat of a refunded charge, whose success would suggest a new charge. @throws ConnectError */
function refuseReturned(charge: AccountCharge, isNew: boolean): void {
  if (isNew || !isTeamCharge(charge.chargeId) || leftToRefund(charge) > 0n) return;
  if (charge.refundedBy === undefined && charge.refunds.length === 0) return;
  throw rejectionError(rejection("charge-conflict", "The charge was made before, and was returned whole."));
}

/** Refunds a charge in full. The two refund methods differ in event type and permitted charges. */
async function refund(
  { accounts }: Pick<AccountDependencies, "accounts">,
  of: RefundOrder["of"],
  request: { readonly accountId: bigint; readonly chargeId: string; readonly reason: string },
  context: WithContextValues,
): Promise<{ readonly correctionId: bigint; readonly grossCents: bigint }> {
  const order = validated({
    accountId: parseId(request.accountId),
    chargeId: parseChargeId(request.chargeId, requireService(context)),
    reason: parseLine(request.reason, 1_000),
  });
  const answer = await accounts.refund({ ...order, of }, requestContextOf(context));
  requireAccepted(answer);
  return { correctionId: BigInt(answer.correctionId), grossCents: answer.grossCents };
}

/** Parses a charge id. A team's ids get a prefix, so that teams cannot touch other charges. */
function parseChargeId(text: string, { name, scopes }: ServiceCaller): Parsed<string> {
  const chargeId = parseLine(text, maximumIdLength);
  return scopes === undefined || !chargeId.ok ? chargeId : parsed(teamChargeId(name, chargeId.value));
}

function parseAction(action: string): Parsed<ChargeBalance["data"]["action"]> {
  return action === "purchase" || action === "renewal"
    ? parsed(action)
    : unparsable("must be purchase or renewal");
}

function parseOptionalId(id: bigint | undefined): Parsed<number | null> {
  return id === undefined ? parsed(null) : parseId(id);
}

function parseLines(
  lines: readonly { description: string; quantity: number; unitNetCents: bigint }[],
  leastCents: bigint,
): Parsed<ChargeBalance["data"]["lines"]> {
  if (lines.length < 1 || lines.length > maximumChargeLines) return unparsable("must be 1 to 100 lines");
  const isRight = lines.every(
    (line) => line.quantity >= 1 && line.unitNetCents >= leastCents && parseLine(line.description, 1_000).ok,
  );
  if (!isRight)
    return unparsable(
      `must have a description of one line, a quantity of at least 1 and a price (unitNetCents) of at least ${String(leastCents)} each`,
    );
  return parsed(
    lines.map(({ description, quantity, unitNetCents }) => ({ description, quantity, unitNetCents })),
  );
}
