import type { HandlerContext } from "@connectrpc/connect";
import {
  coversFee,
  currencyObjection,
  domainAggregate,
  orderIdOf,
  rejection,
  type Charge,
  type DomainCommand,
  type DomainName,
  type KnownCharge,
} from "@hostledger/core";
import { anyAgeMs, lastingRefusal, recallOrder } from "@hostledger/store";
import {
  refuseUncovered,
  refuseWithoutRoom,
  unlessBegun,
  type AnsweredOrder,
  type PaidOrders,
} from "@hostledger/work";
import type { Availability, PricedOrder, Registrar } from "@hostledger/providers";
import { refuseAfterFailures, rejectionError, requestContextOf, requireAccepted } from "@hostledger/rpc";
import { yieldToOthers } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import type { OrderedName } from "../effects/registrants.ts";
import { processRuns } from "../reads/process-runs.projection.ts";
import { domainAfter } from "./change-domain.ts";
import { quoteFor } from "./offer.ts";

/** A registration or transfer that an account orders. */
export interface NamePurchase<Subject, Held> {
  readonly runs: PaidOrders<Subject, Held>;
  readonly accountId: number;
  readonly name: DomainName;
  readonly years: number;
  /** Returns the net price of a year in cents (EUR). @throws ConnectError if the extension is not offered. */
  priceOf(registrar: Registrar): Promise<bigint>;
  /** @throws ConnectError if the registrar's state of the name forbids the order, or its price is higher */
  refuseAtRegistrar(registrar: Registrar, yearNetCents: bigint): Promise<void>;
  /** Returns the command that reserves the name, and the subject of its run. */
  reserve(order: NewOrder): { readonly command: DomainCommand; readonly subject: Subject };
}

/** Data of every order for a name. */
export interface NewOrder {
  readonly run: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  /** Registrar of the order. */
  readonly provider: string;
  readonly yearNetCents: string;
  readonly at: string;
}

/**
 * Orders a name. Checks in the contract's order: extension, registered or in flight here, state at the registrar,
 * balance; nothing is written before all pass. The reservation begins the run that charges and orders, and the run's
 * answer is returned. A repeated request (for its Idempotency-Key, or after a broken connection) joins its run before
 * all checks, because that run may have taken the name and the money.
 */
export async function buyName<Subject, Held>(
  dependencies: DomainDependencies,
  purchase: NamePurchase<Subject, Held>,
  context: HandlerContext,
): Promise<AnsweredOrder<Subject, Held>> {
  const { runs, name } = purchase;
  const request = requestContextOf(context);
  // The run's id contains the operation id, so a repeat finds the run. Not every caller names its operation.
  const { operationId } = request;
  const found = await unlessBegun(
    request,
    () =>
      recallOrder(dependencies.installation, { category: runs.category, operationId }, (run) =>
        runs.recall(run, name.name),
      ),
    () => reserved(dependencies, purchase, context),
  );
  if ("earlier" in found) return found.earlier;
  return runs.begin(found.begun.run, found.begun.subject, request);
}

/** Checks an order and reserves the name. @throws ConnectError for a rejection. */
async function reserved<Subject, Held>(
  dependencies: DomainDependencies,
  purchase: NamePurchase<Subject, Held>,
  context: HandlerContext,
): Promise<{ readonly run: string; readonly subject: Subject }> {
  const { commands, clock, domainIds, projector, registrars } = dependencies;
  const { runs, accountId, name, years } = purchase;
  const request = requestContextOf(context);
  const registrar = await registrars.ofFree(name.name);
  const yearNetCents = await purchase.priceOf(registrar);
  await refuseUnknownRegistrant(dependencies, registrar, { name: name.name, accountId });
  const leave = await unlessTaken(dependencies, name, async () => {
    await purchase.refuseAtRegistrar(registrar, yearNetCents);
    await refuseUncovered(async (maxAgeMs) => {
      const quoted = { name: name.name, years, yearNetCents };
      const { grossCents, ...quote } = await quoteFor(dependencies, accountId, quoted, maxAgeMs);
      return { ...quote, requiredCents: grossCents };
    });
    await dependencies.accounts.requireDocumentKey(accountId);
    refuseWithoutRoom(runs);
    await refuseAfterFailures(dependencies.quotas, context);
    return enterFlight(dependencies, accountId);
  });
  let position: bigint | undefined;
  try {
    const { part } = await dependencies.installation.named();
    const domainId = await domainIds.next();
    const run = orderIdOf(runs.category, part, request.isRepeatable ? request.operationId : String(domainId));
    const order = {
      run,
      domainId,
      accountId,
      name: name.name,
      provider: registrar.name,
      yearNetCents: String(yearNetCents),
    };
    const { command, subject } = purchase.reserve({ ...order, at: clock.now() });
    // Nothing may begin for a caller that has disconnected, because it may retry elsewhere. Yields once, so that a
    // disconnection is noticed.
    await yieldToOthers();
    if (context.signal.aborted) throw rejectionError(rejection("deadline-exceeded"));
    const reserved = await commands.execute(domainAggregate, name.name, command, {
      ...request,
      commandId: `${run}/${command.type}`,
    });
    requireAccepted(reserved);
    // A copy of the request reserved the name in another process; that process runs it.
    if (reserved.events.length === 0) throw rejectionError(rejection("registration-in-flight"));
    ({ position } = reserved);
    return { run, subject };
  } finally {
    // The quota's count moves to the row when the row exists; the order does not wait.
    void projector.after(position, { names: [processRuns.name], isUrgent: false }).then(leave, leave);
  }
}

/** @throws ConnectError if the registry requires data that the customer's profile lacks */
async function refuseUnknownRegistrant(
  { registrants }: DomainDependencies,
  registrar: Registrar,
  order: OrderedName,
): Promise<void> {
  const found = await registrants.find(registrar, order);
  if (!found.isKnown) throw rejectionError(found.refusal);
}

/** @returns function to call when the order's row exists. @throws ConnectError `quota-exceeded` */
async function enterFlight(
  { queries, quotas }: Pick<DomainDependencies, "queries" | "quotas">,
  accountId: number,
): Promise<() => void> {
  const entry = await quotas.enter(accountId, "domains_in_flight", () => queries.domainsInFlight(accountId));
  if (!entry.entered) throw rejectionError(entry.rejection);
  return entry.leave;
}

/**
 * Runs further checks of a name. A new name's stream is not read, because the first write proves that the stream is
 * empty. If a check fails, the name may already be taken here, and that rejection precedes.
 *
 * @throws ConnectError if an account has or orders the name here; otherwise the check's error.
 */
async function unlessTaken<Checked>(
  dependencies: DomainDependencies,
  name: DomainName,
  check: () => Promise<Checked>,
): Promise<Checked> {
  await refuseTaken(dependencies, name, anyAgeMs);
  try {
    return await check();
  } catch (error) {
    await refuseTaken(dependencies, name, 0);
    throw error;
  }
}

async function refuseTaken(
  { commands }: DomainDependencies,
  { name }: DomainName,
  maxAgeMs: number,
): Promise<void> {
  const code = await lastingRefusal(
    (ageMs) => commands.load(domainAggregate, name, ageMs),
    ({ status }) => {
      if (status === "free") return undefined;
      return status === "registered" ? "domain-taken" : "registration-in-flight";
    },
    maxAgeMs,
  );
  if (code !== undefined) throw rejectionError(rejection(code));
}

/** Asks the registrar for availability and price. @throws ConnectError if it does not answer; nothing was done */
export async function checked(
  registrar: Registrar,
  { name }: DomainName,
  order: PricedOrder,
): Promise<Availability> {
  const check = await registrar.check(name, order);
  if (check.outcome === "done") return check.value;
  throw rejectionError(rejection("registrar-failed", undefined, { hadNoEffect: true }));
}

/** @throws ConnectError if the registry's price exceeds the price list. Checked before the charge. */
export function refuseDearer({ fee }: Availability, netCents: bigint): void {
  if (fee !== undefined && !coversFee(netCents, fee))
    throw rejectionError(rejection("premium-name", currencyObjection(fee)));
}

/** Returns the order with its charge. @throws ConnectError if the run continues in another process. */
export function paidFor<Subject>(
  subject: Subject | undefined,
  charge: KnownCharge,
): Subject & { readonly charge: Charge } {
  if (subject === undefined || charge === undefined || charge === null)
    throw rejectionError(rejection("deadline-exceeded"));
  return { ...subject, charge };
}

/** Returns the domain and its charge. @param maxAgeMs see `domainAfter` */
export async function boughtDomain(
  dependencies: DomainDependencies,
  { name, domainId, charge }: { readonly name: string; readonly domainId: number; readonly charge: Charge },
  maxAgeMs = 0,
) {
  return {
    invoiceId: BigInt(charge.invoiceId),
    amountChargedCents: BigInt(charge.grossCents),
    domain: await domainAfter(dependencies, { domain_name: name, id: domainId }, maxAgeMs),
  };
}
