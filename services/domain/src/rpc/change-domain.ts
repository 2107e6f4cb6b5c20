import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  domainAggregate,
  endTermsOf,
  extensionOf,
  isSameNameserverSet,
  parseDomainName,
  parseNameservers,
  parsed,
  priceListAggregate,
  rejection,
  type DomainChange,
  type RecordedDnsRecord,
  type RejectionCode,
} from "@hostledger/core";
import { recentMs, refusalOf } from "@hostledger/event-store";
import { shown } from "@hostledger/projections";
import type { domain } from "@hostledger/protocol";
import {
  conditionOf,
  ownRow,
  rejectionError,
  requestContextOf,
  useQuota,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";

import type { ChangeAnswer } from "../effects/change-answer.ts";
import type { DomainDependencies } from "../dependencies.ts";
import { domains } from "../reads/domains.projection.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { domainMessage } from "./domain.message.ts";

type Handlers = ServiceImpl<typeof domain.DomainService>;

/** A change that was carried out, or that asked for what was so already. */
export type CarriedOut = Extract<ChangeAnswer, { kind: "done" }>;

/** The caller's domain of this id. @throws ConnectError `not-found`, `unauthorized` */
export function ownedDomain(
  { queries }: Pick<DomainDependencies, "queries">,
  domainId: bigint,
  context: WithContextValues,
): Promise<DomainRow> {
  return ownRow("domain", domainId, context, (id) => queries.domainById(id));
}

/** Who has registered a name, by its own facts, however far the read model is. @param text that may be no name at all. */
export async function registeredAs(
  { commands }: Pick<DomainDependencies, "commands">,
  text: string,
): Promise<{ readonly domainId: number; readonly accountId: number } | undefined> {
  const name = parseDomainName(text);
  if (!name.ok) return undefined;
  const { state } = await commands.load(domainAggregate, name.value.name);
  return state.status === "registered" ? state.domain : undefined;
}

/** @throws ConnectError where the domain is on its way to us: nobody can be asked for anything yet. */
export function refuseOnItsWay(
  { expiry_date: expiryDate }: DomainRow,
  code: RejectionCode = "domain-not-active",
): void {
  if (expiryDate !== null) return;
  throw rejectionError(rejection(code, "The domain is on its way to us from another registrar."));
}

/** The records of a name's zone as its facts have them: the read model may be a moment behind. */
export async function recordsByFacts(
  { commands }: Pick<DomainDependencies, "commands">,
  { domain_name: zone }: Pick<DomainRow, "domain_name">,
): Promise<readonly RecordedDnsRecord[]> {
  const { state } = await commands.load(domainAggregate, zone);
  return state.status === "registered" ? [...(state.domain.zone?.records.values() ?? [])] : [];
}

/** Those of one name and type. */
export async function recordSetByFacts(
  dependencies: Pick<DomainDependencies, "commands">,
  row: Pick<DomainRow, "domain_name">,
  set: Pick<RecordedDnsRecord, "type" | "name">,
): Promise<readonly RecordedDnsRecord[]> {
  const records = await recordsByFacts(dependencies, row);
  return records.filter(({ type, name }) => type === set.type && name === set.name);
}

/**
 * A domain as a command has left it. It is told from its own facts where the read model does not show them in time: what is
 * done, and may be paid, is never answered as if it were not.
 * @param maxAgeMs where it was seen so many milliseconds ago at most, as it is to be told.
 */
export async function domainAfter(
  { commands, readBack, clock }: Pick<DomainDependencies, "commands" | "readBack" | "clock">,
  { domain_name: name, id }: Pick<DomainRow, "domain_name" | "id">,
  maxAgeMs = 0,
): Promise<ReturnType<typeof domainMessage>> {
  const done = await commands.load(domainAggregate, name, maxAgeMs);
  const row = await readBack(done, `domain-${name}`, (queries) => queries.domainById(id));
  if (row === undefined) throw new Error(`the domain ${name} was changed and is not there`);
  const extension = extensionOf(name);
  const { state: prices } = await commands.load(priceListAggregate, extension, recentMs);
  return domainMessage(row, {
    now: clock.now(),
    lifeCycles: new Map([[extension, endTermsOf(prices)]]),
  });
}

/**
 * Has a change of a domain carried out, and waits until it can be read back. The operation names the change: a request
 * that is run again answers from its first run.
 * @throws ConnectError the refusal: of the quota, of the rules, of the other provider, or that its answer has not come yet.
 */
export async function changeDomain(
  { changes, projector, quotas }: DomainDependencies,
  row: DomainRow,
  change: DomainChange,
  context: HandlerContext,
): Promise<CarriedOut> {
  refuseOnItsWay(row);
  const request = requestContextOf(context);
  const answer = await changes.request(
    {
      name: row.domain_name,
      changeId: request.operationId,
      change,
      // Whoever changes the nameservers must know what they were: the contract refuses a second change at a time.
      waits: change.kind !== "nameservers",
      admit: () => useQuota(quotas, "free_writes_a_day", 1, context),
      ...conditionOf(request),
    },
    request,
  );
  await shown(projector, answer, [domains.name]);
  if (answer.kind === "refused") throw rejectionError(answer.rejection);
  return answer;
}

/**
 * Asks the rules before ids are taken for new records. What another change in progress stands in the way of waits for it.
 * @throws ConnectError the refusal.
 */
export async function refuseChange(
  { commands, clock }: Pick<DomainDependencies, "commands" | "clock">,
  row: DomainRow,
  change: DomainChange,
  context: HandlerContext,
): Promise<void> {
  refuseOnItsWay(row);
  const { operationId: changeId } = requestContextOf(context);
  const data = { changeId, change, registrationEnded: true, at: clock.now() };
  const command = { type: "StartDomainChange", data } as const;
  const refusal = await refusalOf(commands, domainAggregate, row.domain_name, command);
  if (refusal !== undefined && refusal.code !== "change-in-flight") throw rejectionError(refusal);
}

/** The handlers of what the registrar keeps of a domain: its nameservers, its settings, its transfer code. */
export function registrarHandlers(
  dependencies: DomainDependencies,
): Pick<Handlers, "updateNameservers" | "updateSettings" | "cancelDomain" | "getAuthCode"> {
  const { registrars, settings } = dependencies;

  return {
    /** Switches the nameservers (specification §4.4); to the present ones succeeds without asking the registrar. */
    async updateNameservers(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const { nameservers: asked } = validated({
        nameservers: request.useServiceNameservers
          ? parsed(settings.serviceNameservers)
          : parseNameservers(request.nameservers),
      });
      // Exactly the service's own names mean the service's nameservers, however they are asked for.
      const usesServiceNameservers = isSameNameserverSet(asked, settings.serviceNameservers);
      const nameservers = usesServiceNameservers ? settings.serviceNameservers : asked;
      await changeDomain(
        dependencies,
        row,
        { kind: "nameservers", usesServiceNameservers, nameservers },
        context,
      );
      return { domain: await domainAfter(dependencies, row) };
    },

    /**
     * Changes settings; what is absent stays. Automatic renewal is ours alone and comes first, so that no failure of the
     * registrar keeps a customer from turning it off; then what the registrar keeps. Where it takes one setting and not
     * the other, the answer is its refusal, and the domain tells what was changed.
     */
    async updateSettings(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const { autoRenew, whoisPrivacy, lockStatus } = request;
      if (autoRenew !== undefined) await setAutoRenewal(dependencies, row, autoRenew, context);
      if (whoisPrivacy !== undefined || lockStatus !== undefined) {
        const change = {
          kind: "settings",
          whoisPrivacy: whoisPrivacy ?? null,
          transferLock: lockStatus ?? null,
        } as const;
        await changeDomain(dependencies, row, change, context);
      }
      return { domain: await domainAfter(dependencies, row) };
    },

    /** What the domain's customer has paid for stays; only staff end anything earlier. */
    async cancelDomain(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const { state } = await dependencies.commands.load(domainAggregate, row.domain_name);
      if (state.status === "registered" && state.domain.transferring)
        throw rejectionError(
          rejection("domain-not-active", "The domain is on its way to another registrar."),
        );
      await setAutoRenewal(dependencies, row, false, context);
      return { domain: await domainAfter(dependencies, row) };
    },

    /** Asks the registrar each time: the code is a secret that is neither stored nor logged here. */
    async getAuthCode(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      refuseOnItsWay(row);
      // A suspended domain stays where it is until staff has settled why.
      if (row.suspended === 1)
        throw rejectionError(rejection("domain-not-active", "The domain is suspended."));
      return { authCode: await authCodeOf(registrars, row.domain_name) };
    },
  };
}

/** The code with which a name can be transferred. @throws ConnectError where the registrar does not tell it */
export async function authCodeOf(
  registrars: DomainDependencies["registrars"],
  name: string,
): Promise<string> {
  const registrar = await registrars.of(name);
  const answer = await registrar.authCode(name);
  if (answer.outcome === "done") return answer.value.authCode;
  const isRejected = answer.outcome === "refused" && answer.reason === "rejected";
  throw rejectionError(
    isRejected
      ? rejection("registrar-refused", "The registrar did not tell the transfer code.")
      : rejection("registrar-unavailable"),
  );
}

async function setAutoRenewal(
  { commands, clock, quotas }: DomainDependencies,
  row: DomainRow,
  autoRenew: boolean,
  context: HandlerContext,
): Promise<void> {
  const request = requestContextOf(context);
  const changeId = `${request.operationId}/auto-renew`;
  const command = { type: "SetAutoRenewal", data: { changeId, autoRenew, at: clock.now() } } as const;
  const refusal = await refusalOf(commands, domainAggregate, row.domain_name, command);
  if (refusal !== undefined) throw rejectionError(refusal);
  await useQuota(quotas, "free_writes_a_day", 1, context);
  const executed = await commands.execute(domainAggregate, row.domain_name, command, {
    ...request,
    commandId: `${changeId}/SetAutoRenewal`,
    ...conditionOf(request),
  });
  if (!executed.accepted) throw rejectionError(executed.rejection);
}
