import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { domainAggregate, domain as domainDecider, parseYears, rejection } from "@hostledger/core";
import { refuseUncovered, refuseWithoutRoom, unlessBegun } from "@hostledger/work";
import type { domain } from "@hostledger/protocol";
import {
  doneOrThrow,
  noSuch,
  refuseAfterFailures,
  rejectionError,
  requestContextOf,
  validated,
  requireAccepted,
} from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import { notSold, type RenewalOutcome, type RenewalRequest } from "../effects/renewals.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { domainAfter, ownedDomain, refuseOnItsWay } from "./change-domain.ts";
import { quoteFor, refuseYears } from "./offer.ts";

type Request = Readonly<Pick<domain.RenewDomainRequest, "domainId" | "years" | "restore">>;
type Response = MessageInitShape<typeof domain.RenewDomainResponseSchema>;

/**
 * Renews a domain, or restores it from its registry's redemption period (contract, `POST /domains/{d}/renew` and,
 * second part, `/restore`). The run's id contains the operation id, so a repeat gets the run's answer. Nothing is
 * written before all checks pass.
 */
export async function renewDomain(
  dependencies: DomainDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const row = await ownedDomain(dependencies, request.domainId, context);
  refuseOnItsWay(row, request.restore === true ? "not-restorable" : "domain-not-renewable");
  const { years } = validated({ years: parseYears(request.years ?? 1) });
  const operation = requestContextOf(context);
  const renewalId = `renewal-${String(row.id)}-${operation.operationId}`;
  // Reads the expiry date before the run, so that a run ending in between leaves an outdated date, which is refused.
  const { state } = await dependencies.commands.load(domainAggregate, row.domain_name);
  if (state.status !== "registered") throw noSuch("domain");
  const { expiresAt } = state.domain;
  const requested = {
    name: row.domain_name,
    renewalId,
    years,
    automatic: false,
    expiresAt,
    restoration: request.restore ?? false,
  };
  const found = await unlessBegun(
    operation,
    () => dependencies.renewals.recall(renewalId),
    async () => {
      refuseYears(await dependencies.registrars.of(row.domain_name), row.domain_name, years);
      await refuseImpossible(dependencies, row, requested);
      refuseWithoutRoom(dependencies.renewals);
      await refuseAfterFailures(dependencies.quotas, context);
    },
  );
  if ("earlier" in found) return respond(dependencies, row, years, found.earlier);
  return respond(dependencies, row, years, await dependencies.renewals.renew(requested, operation));
}

/** Checks without writing: first the domain's rules (409, 422), then the balance (400). */
async function refuseImpossible(
  dependencies: DomainDependencies,
  { account_id: accountId }: DomainRow,
  { name, ...order }: RenewalRequest,
): Promise<void> {
  const { commands, clock, renewals } = dependencies;
  const terms = await renewals.termsOf({ name, ...order });
  if (terms === undefined) throw rejectionError(notSold);
  const { yearNetCents, lifeCycle } = terms;
  const { state } = await commands.load(domainAggregate, name);
  const data = { ...order, yearNetCents: String(yearNetCents), lifeCycle, at: clock.now() };
  const decision = domainDecider.decide({ type: "StartRenewal", data }, state);
  requireAccepted(decision);
  // A renewal that has begun is not checked against the balance again.
  if (decision.events.length === 0) return;
  const quoted = { name, years: order.years, yearNetCents };
  await refuseUncovered(async (maxAgeMs) => {
    const { grossCents, ...quote } = await quoteFor(dependencies, accountId, quoted, maxAgeMs);
    return { ...quote, requiredCents: grossCents };
  });
  await dependencies.accounts.requireDocumentKey(accountId);
}

async function respond(
  dependencies: DomainDependencies,
  row: DomainRow,
  years: number,
  outcome: RenewalOutcome,
): Promise<Response> {
  if (outcome.kind === "not-begun") throw rejectionError(outcome.rejection);
  const { charge } = doneOrThrow(outcome, () => rejection("registrar-failed"), unsettledSentence);
  if (charge === undefined || charge === null) throw rejectionError(rejection("deadline-exceeded"));
  return {
    invoiceId: BigInt(charge.invoiceId),
    amountChargedCents: BigInt(charge.grossCents),
    years,
    domain: await domainAfter(dependencies, row),
  };
}

const unsettledSentence =
  "It is not known yet whether the registrar renewed the domain. It is asked until it tells; what it did not renew is refunded. Read the domain before you try again.";
