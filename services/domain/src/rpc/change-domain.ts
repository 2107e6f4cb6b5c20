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
import { recentMs, refusalOf } from "@hostledger/store";
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
import { customerCommand } from "@hostledger/work";

import type { ChangeAnswer } from "../effects/change-answer.ts";
import type { DomainDependencies } from "../dependencies.ts";
import { domains } from "../reads/domains.projection.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { domainMessage } from "./domain.message.ts";

type Handlers = ServiceImpl<typeof domain.DomainService>;

/** A change that was carried out or was unnecessary. */
export type CarriedOut = Extract<ChangeAnswer, { kind: "done" }>;

/** Returns the caller's domain. @throws ConnectError `not-found`, `unauthorized` */
export function ownedDomain(
  { queries }: Pick<DomainDependencies, "queries">,
  domainId: bigint,
  context: WithContextValues,
): Promise<DomainRow> {
  return ownRow("domain", domainId, context, (id) => queries.domainById(id));
}

/** Returns the owner of a registered name from its stream. @param text may be no valid name */
export async function registeredAs(
  { commands }: Pick<DomainDependencies, "commands">,
  text: string,
): Promise<{ readonly domainId: number; readonly accountId: number } | undefined> {
  const name = parseDomainName(text);
  if (!name.ok) return undefined;
  const { state } = await commands.load(domainAggregate, name.value.name);
  return state.status === "registered" ? state.domain : undefined;
}

/** @throws ConnectError while the domain is being transferred to us, because its registrar cannot be called yet. */
export function refuseOnItsWay(
  { expiry_date: expiryDate }: DomainRow,
  code: RejectionCode = "domain-not-active",
): void {
  if (expiryDate !== null) return;
  throw rejectionError(rejection(code, "The domain is on its way to us from another registrar."));
}

/** Returns a zone's records from its events, because the read model may be behind. */
export async function recordsByEvents(
  { commands }: Pick<DomainDependencies, "commands">,
  { domain_name: zone }: Pick<DomainRow, "domain_name">,
): Promise<readonly RecordedDnsRecord[]> {
  const { state } = await commands.load(domainAggregate, zone);
  return state.status === "registered" ? [...(state.domain.zone?.records.values() ?? [])] : [];
}

/** Returns the records of one name and type from the events. */
export async function recordSetByEvents(
  dependencies: Pick<DomainDependencies, "commands">,
  row: Pick<DomainRow, "domain_name">,
  set: Pick<RecordedDnsRecord, "type" | "name">,
): Promise<readonly RecordedDnsRecord[]> {
  const records = await recordsByEvents(dependencies, row);
  return records.filter(({ type, name }) => type === set.type && name === set.name);
}

/**
 * Returns a domain after a command; from its events if the read model does not catch up in time, so that a completed
 * change is never answered with the old state.
 * @param maxAgeMs maximum age of cached state, in milliseconds.
 */
export async function domainAfter(
  { commands, readAfter, clock }: Pick<DomainDependencies, "commands" | "readAfter" | "clock">,
  { domain_name: name, id }: Pick<DomainRow, "domain_name" | "id">,
  maxAgeMs = 0,
): Promise<ReturnType<typeof domainMessage>> {
  const done = await commands.load(domainAggregate, name, maxAgeMs);
  const row = await readAfter(done, `domain-${name}`, (queries) => queries.domainById(id));
  if (row === undefined) throw new Error(`the domain ${name} was changed and is not there`);
  const extension = extensionOf(name);
  const { state: prices } = await commands.load(priceListAggregate, extension, recentMs);
  return domainMessage(row, {
    now: clock.now(),
    lifeCycles: new Map([[extension, endTermsOf(prices)]]),
  });
}

/**
 * Carries out a change of a domain and waits for the read model. The operation id identifies the change, so a repeat
 * returns the first run's result.
 * @throws ConnectError for an exceeded quota, a rejection, a provider's refusal, or an outstanding answer.
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
      // A change of nameservers does not wait, because the contract refuses it during another change.
      waits: change.kind !== "nameservers",
      admit: () => useQuota(quotas, "free_writes_a_day", 1, context),
      ...conditionOf(request),
    },
    request,
  );
  await projector.after(answer.position, { names: [domains.name] });
  if (answer.kind === "refused") throw rejectionError(answer.rejection);
  return answer;
}

/** Checks a change before ids are taken, ignoring changes in progress. @throws ConnectError for a rejection */
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

/** Creates the handlers of nameservers, settings and authInfo, which the registrar stores. */
export function registrarHandlers(
  dependencies: DomainDependencies,
): Pick<Handlers, "updateNameservers" | "updateSettings" | "cancelDomain" | "getAuthCode"> {
  const { registrars, settings } = dependencies;

  return {
    /** Changes nameservers (specification §4.4); the present nameservers succeed without calling the registrar. */
    async updateNameservers(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const { nameservers: asked } = validated({
        nameservers: request.useServiceNameservers
          ? parsed(settings.serviceNameservers)
          : parseNameservers(request.nameservers),
      });
      // The service's own host names mean the service's nameservers, even if listed.
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
     * Changes settings; absent settings stay. Automatic renewal, stored here, is changed first, so that a failing
     * registrar cannot prevent a customer from switching it off. If the registrar accepts only one setting, the answer
     * is its refusal, and the domain shows the actual settings.
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

    /** Cancels the renewal; the paid term remains. Only staff end a domain earlier. */
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

    /** Asks the registrar each time, because authInfo is neither stored nor logged here. */
    async getAuthCode(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      refuseOnItsWay(row);
      // A suspended domain must not be transferred away before staff decide.
      if (row.suspended === 1)
        throw rejectionError(rejection("domain-not-active", "The domain is suspended."));
      return { authCode: await authCodeOf(registrars, row.domain_name) };
    },
  };
}

/** Returns a name's authInfo. @throws ConnectError if the registrar refuses or does not answer */
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
      ? rejection("registrar-refused", "The registrar did not return the transfer code.")
      : rejection("registrar-unavailable"),
  );
}

async function setAutoRenewal(
  dependencies: DomainDependencies,
  row: DomainRow,
  autoRenew: boolean,
  context: HandlerContext,
): Promise<void> {
  const changeId = `${requestContextOf(context).operationId}/auto-renew`;
  const data = { changeId, autoRenew, at: dependencies.clock.now() };
  await customerCommand(dependencies, context, {
    aggregate: domainAggregate,
    id: row.domain_name,
    command: { type: "SetAutoRenewal", data },
    commandId: `${changeId}/SetAutoRenewal`,
  });
}
