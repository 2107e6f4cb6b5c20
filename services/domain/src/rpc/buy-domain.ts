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
import { anyAgeMs, lastingRefusal, recallOrder } from "@hostledger/event-store";
import {
  refuseUncovered,
  refuseWithoutRoom,
  unlessBegun,
  type AnsweredOrder,
  type PaidOrders,
} from "@hostledger/process-manager";
import { shownInTime } from "@hostledger/projections";
import type { Availability, PricedOrder, Registrar } from "@hostledger/providers";
import { refuseAfterFailures, rejectionError, requestContextOf } from "@hostledger/rpc";
import { yieldToOthers } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import type { OrderedName } from "../effects/registrants.ts";
import { processRuns } from "../reads/process-runs.projection.ts";
import { domainAfter } from "./change-domain.ts";
import { quoteFor } from "./offer.ts";

/** A name that an account buys, by whatever process it comes. */
export interface NamePurchase<Subject, Held> {
  readonly runs: PaidOrders<Subject, Held>;
  readonly accountId: number;
  readonly name: DomainName;
  readonly years: number;
  /** Net price of a year in cents (EUR). @throws ConnectError where the extension is not offered. */
  priceOf(registrar: Registrar): Promise<bigint>;
  /** @throws ConnectError where the registrar holds of the name what this process cannot do with, or takes more for it. */
  refuseAtRegistrar(registrar: Registrar, yearNetCents: bigint): Promise<void>;
  /** The command that reserves the name, and what its run is about. */
  reserve(order: NewOrder): { readonly command: DomainCommand; readonly subject: Subject };
  /** Told that the name is reserved, and its run about to begin. */
  onReserved?: () => void;
}

/** What all orders for names have. */
export interface NewOrder {
  readonly run: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  /** The registrar that gets the order. */
  readonly provider: string;
  readonly yearNetCents: string;
  readonly at: string;
}

/**
 * Buys a name. The order of checks is the contract's: extension → registered here or in flight → what the registrar holds →
 * balance; nothing is written before all of them pass. The reservation then begins the run that charges and orders, and
 * the answer is the run's. A request that was interrupted and is run again (for its Idempotency-Key, or because a
 * connection broke) joins its run before all checks: it may be that run which has taken the name and the money.
 */
export async function buyName<Subject, Held>(
  dependencies: DomainDependencies,
  purchase: NamePurchase<Subject, Held>,
  context: HandlerContext,
): Promise<AnsweredOrder<Subject, Held>> {
  const { runs, name } = purchase;
  const request = requestContextOf(context);
  // The run is named by the operation, so that the second time finds the first; not every caller names its operation.
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
  purchase.onReserved?.();
  return runs.begin(found.begun.run, found.begun.subject, request);
}

/** Reserves the name for a run where nothing stands against it. @throws ConnectError what does. */
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
      const quote = await quoteFor(dependencies, accountId, quoted, maxAgeMs);
      return { requiredCents: quote.grossCents, availableCents: quote.availableCents };
    });
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
    // A caller who has gone may have asked elsewhere, and have been refused: then nothing may begin any more. That he has gone
    // may be heard in this very turn.
    await yieldToOthers();
    if (context.signal.aborted) throw rejectionError(rejection("deadline-exceeded"));
    const reserved = await commands.execute(domainAggregate, name.name, command, {
      ...request,
      commandId: `${run}/${command.type}`,
    });
    if (!reserved.accepted) throw rejectionError(reserved.rejection);
    // The request's copy reserved it in another process, with an id of its own: that one's run is the request's.
    if (reserved.events.length === 0) throw rejectionError(rejection("registration-in-flight"));
    ({ position } = reserved);
    return { run, subject };
  } finally {
    // Its row counts it as soon as it is there, and the order does not wait for that.
    void shownInTime(projector, { position }, [processRuns.name]).then(leave, leave);
  }
}

/** @throws ConnectError where the registry wants to know who the customer is, and nobody does: before anything is asked or paid. */
async function refuseUnknownRegistrant(
  { registrants }: DomainDependencies,
  registrar: Registrar,
  order: OrderedName,
): Promise<void> {
  const found = await registrants.find(registrar, order);
  if (!found.isKnown) throw rejectionError(found.refusal);
}

/** @returns what is called when the order is counted by its row. @throws ConnectError `quota-exceeded` */
async function enterFlight(
  { queries, quotas }: Pick<DomainDependencies, "queries" | "quotas">,
  accountId: number,
): Promise<() => void> {
  const entry = await quotas.enter(accountId, "domains_in_flight", () => queries.domainsInFlight(accountId));
  if (!entry.entered) throw rejectionError(entry.rejection);
  return entry.leave;
}

/**
 * Makes the further checks of a name that is not known to be taken: its stream is mostly new, is not read before its first
 * write, and that proves it. Where a check refuses, it may be because the name is taken: that answer comes first.
 *
 * @throws ConnectError where the name is an account's here, or on its way to be one's; else what the checks threw.
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

/**
 * Whether nobody holds the name, and what the order for it costs at the registry, where that says so.
 *
 * @throws ConnectError where the registrar does not tell; nothing was done yet.
 */
export async function checked(
  registrar: Registrar,
  { name }: DomainName,
  order: PricedOrder,
): Promise<Availability> {
  const check = await registrar.check(name, order);
  if (check.outcome === "done") return check.value;
  throw rejectionError(rejection("registrar-failed", undefined, { hadNoEffect: true }));
}

/** @throws ConnectError where the registry takes more for the order than the price list: before anything is charged. */
export function refuseDearer({ fee }: Availability, netCents: bigint): void {
  if (fee !== undefined && !coversFee(netCents, fee))
    throw rejectionError(rejection("premium-name", currencyObjection(fee)));
}

/** What was bought, with the charge that paid for it. @throws ConnectError where the run cannot be followed here. */
export function paidFor<Subject>(
  subject: Subject | undefined,
  charge: KnownCharge,
): Subject & { readonly charge: Charge } {
  if (subject === undefined || charge === undefined || charge === null)
    throw rejectionError(rejection("deadline-exceeded"));
  return { ...subject, charge };
}

/** A domain as its account reads it, and what it was paid with. @param maxAgeMs as `domainAfter` */
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
