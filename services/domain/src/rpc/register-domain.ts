import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  domainAggregate,
  deliveryWarning,
  parseDomainName,
  parsed,
  parseNameservers,
  parseYears,
  registrationOf,
  rejection,
  type Charge,
  type DomainName,
  type RegistrationReserved,
} from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import {
  callHeaders,
  doneOrThrow,
  rejectionError,
  requestContextOf,
  requireAccount,
  validated,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import type { AnsweredRegistration } from "../effects/domain-runs.ts";
import { domainAfter } from "./change-domain.ts";
import { offerOf, quoteFor } from "./offer.ts";

type Request = Readonly<Pick<domain.RegisterDomainRequest, "domain" | "years" | "autoRenew" | "nameservers">>;
type Response = MessageInitShape<typeof domain.RegisterDomainResponseSchema>;

/**
 * Registers a name (specification §4.1). The order of checks is the contract's: fields → extension → registered here
 * or in flight → available at the registrar → balance; nothing is written before all of them pass. The reservation
 * then begins the run that charges and orders, and the answer is the run's. A request that was interrupted
 * and is run again joins its run before all checks: it may be that run which has taken the name and the money.
 */
export async function registerDomain(
  dependencies: DomainDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const { domain: name, years, nameservers } = parseRequest(request);
  const registrationId = repeatableRunOf("registration", context);
  if (registrationId !== undefined) {
    const earlier = await dependencies.registrations.recall(registrationId, name.name);
    if (earlier !== undefined) return respond(dependencies, earlier, context);
  }
  const yearNetCents = (await offerOf(dependencies, name.tld)).registrationCents;
  await refuseTaken(dependencies, name);
  await refuseUnavailable(dependencies, name);
  await refuseUncovered(dependencies, accountId, { name, years, yearNetCents }, context);

  if (!dependencies.registrations.hasRoom)
    throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));

  const domainId = await dependencies.domainIds.next();
  const reservation = {
    registrationId: registrationId ?? `registration-${String(domainId)}`,
    domainId,
    accountId,
    name: name.name,
    years,
    autoRenew: request.autoRenew,
    nameservers,
    yearNetCents: String(yearNetCents),
  };
  return respond(dependencies, await run(dependencies, reservation, context), context);
}

/**
 * The run of a request that may be sent again (for its Idempotency-Key, or because a connection broke): it is named by the
 * operation, so that the second time finds the first. Undefined for a call whose operation its caller did not name.
 */
export function repeatableRunOf(category: string, context: HandlerContext): string | undefined {
  if (!context.requestHeader.has(callHeaders.operationId)) return undefined;
  return `${category}-${requestContextOf(context).operationId}`;
}

type Reservation = Omit<RegistrationReserved["data"], "reservedAt">;

function parseRequest(request: Request): {
  domain: DomainName;
  years: number;
  nameservers: readonly string[] | null;
} {
  const { nameservers } = request;
  return validated({
    domain: parseDomainName(request.domain),
    years: parseYears(request.years ?? 1),
    nameservers: nameservers.length === 0 ? parsed(null) : parseNameservers(nameservers),
  });
}

/** @throws ConnectError where the name is an account's here, or on its way to be one's. */
export async function refuseTaken({ commands }: DomainDependencies, { name }: DomainName): Promise<void> {
  const { state } = await commands.load(domainAggregate, name);
  if (state.status === "registered") throw rejectionError(rejection("domain-taken"));
  if (state.status !== "free") throw rejectionError(rejection("registration-in-flight"));
}

async function refuseUnavailable(dependencies: DomainDependencies, name: DomainName): Promise<void> {
  if (await isAvailable(dependencies, name)) return;
  // Another registration may have ordered the name since we looked: that answer comes first.
  await refuseTaken(dependencies, name);
  throw rejectionError(rejection("domain-not-available"));
}

/** Whether nobody holds the name. @throws ConnectError where the registrar does not tell; nothing was done yet. */
export async function isAvailable({ registrar }: DomainDependencies, { name }: DomainName): Promise<boolean> {
  const check = await registrar.check(name);
  if (check.outcome === "done") return check.value.available;
  throw rejectionError(rejection("registrar-failed", undefined, { hadNoEffect: true }));
}

/** @throws ConnectError where the account's balance does not cover the price. */
export async function refuseUncovered(
  dependencies: DomainDependencies,
  accountId: number,
  order: { readonly name: DomainName; readonly years: number; readonly yearNetCents: bigint },
  context: HandlerContext,
): Promise<void> {
  const quoted = { ...order, name: order.name.name };
  const { grossCents, availableCents } = await quoteFor(
    dependencies,
    accountId,
    quoted,
    requestContextOf(context),
  );
  if (grossCents <= availableCents) return;
  // The money may be in another registration of the same name: that answer comes first.
  await refuseTaken(dependencies, order.name);
  throw rejectionError(
    rejection("insufficient-balance", undefined, { requiredCents: grossCents, availableCents }),
  );
}

/** Reserves the name and waits for what its run answers. */
async function run(
  { commands, clock, registrations }: DomainDependencies,
  reservation: Reservation,
  context: HandlerContext,
): Promise<AnsweredRegistration> {
  const request = requestContextOf(context);
  const { registrationId, name } = reservation;
  const at = clock.now();
  const reserved = await commands.execute(
    domainAggregate,
    name,
    { type: "ReserveRegistration", data: { ...reservation, at } },
    { ...request, commandId: `${registrationId}/ReserveRegistration` },
  );
  if (!reserved.accepted) throw rejectionError(reserved.rejection);
  return registrations.begin(registrationId, registrationOf({ ...reservation, reservedAt: at }), request);
}

/** A domain as its account reads it, and what it was paid with. */
export async function boughtDomain(
  dependencies: DomainDependencies,
  { name, domainId, charge }: { readonly name: string; readonly domainId: number; readonly charge: Charge },
) {
  return {
    invoiceId: BigInt(charge.invoiceId),
    amountChargedCents: BigInt(charge.grossCents),
    domain: await domainAfter(dependencies, { domain_name: name, id: domainId }),
  };
}

async function respond(
  dependencies: DomainDependencies,
  { subject: registered, answer }: AnsweredRegistration,
  context: HandlerContext,
): Promise<Response> {
  const { charge } = doneOrThrow(answer, () => rejection("registrar-failed"));
  if (registered === undefined || charge === undefined || charge === null)
    throw rejectionError(rejection("deadline-exceeded"));
  const { name, domainId, years } = registered;
  // What comes with the domain is no part of what was paid for; the answer tells how its first attempt went.
  const warning = deliveryWarning(await dependencies.delivery.bringAbout(name, requestContextOf(context)));
  return {
    ...(await boughtDomain(dependencies, { name, domainId, charge })),
    years,
    ...defined({ warning: warning === undefined ? undefined : warningSentence(warning) }),
  };
}

function warningSentence(reason: string): string {
  return `The domain is registered, but the requested nameservers could not be applied: ${reason.replace(/\.$/, "")}. The service nameservers stay in use.`;
}
