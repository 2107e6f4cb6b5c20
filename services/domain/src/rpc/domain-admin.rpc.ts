import type { ServiceImpl } from "@connectrpc/connect";
import {
  domainAggregate,
  priceListAggregate,
  domainStatusOf,
  genericEndTerms,
  parseInstant,
  parseStaffReason,
  rejection,
  type AllowLateRenewal,
  type DomainStatusCommand,
  type RegisteredDomain,
} from "@hostledger/core";
import { shown } from "@hostledger/projections";
import type { admin } from "@hostledger/protocol";
import type { Registrars, SandboxHoldings } from "@hostledger/providers";
import {
  foundRow,
  noSuch,
  rejectionError,
  requestContextOf,
  requestedId,
  requestedPage,
  requireStaff,
  type RequestContext,
  validated,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import type { PricesNow } from "../reads/domain.queries.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { authCodeOf, registeredAs } from "./change-domain.ts";
import { staffRunHandlers } from "./domain-runs.rpc.ts";
import { priceEntryMessage, staffDomainMessage } from "./domain.message.ts";

type AdminHandlers = ServiceImpl<typeof admin.DomainAdminService>;

/** What staff may do about prices and unfinished registrations. */
export function domainAdminRpc(dependencies: DomainDependencies): AdminHandlers {
  const { agreedClock, commands, ids, projector, queries, registrars, sandbox } = dependencies;
  return {
    async setPrice(request, context) {
      requireStaff(context);
      const { tld, registrationCents, renewalCents, transferCents, active } = request;
      const { registrar = null, graceDays, redemptionDays, pendingDeleteDays, restoreCents } = request;
      const endTerms = defined({ graceDays, redemptionDays, pendingDeleteDays, restoreCents });
      const from = request.validFrom;
      const { validFrom } = from === undefined ? {} : validated({ validFrom: parseInstant(from) });
      refuseUnknownRegistrar(registrars, registrar);
      const executed = await commands.execute(
        priceListAggregate,
        // A label that the decider refuses must not become a stream's name.
        /^[a-z]{2,63}$/.test(tld) ? tld : "invalid",
        {
          type: "SetPrice",
          data: {
            tld,
            registrationCents,
            renewalCents,
            transferCents,
            active,
            registrar,
            endTerms,
            ...defined({ validFrom }),
            at: agreedClock.now(),
          },
        },
        { ...requestContextOf(context), commandId: `set-price/${ids.uuid()}` },
      );
      if (!executed.accepted) throw rejectionError(executed.rejection);
      await shown(projector, executed);
      return { tld };
    },

    async listAllPrices(_request, context) {
      requireStaff(context);
      const lifeCycles = await queries.lifeCycles();
      const entryOf = (row: PricesNow) =>
        priceEntryMessage({ ...row, ...(lifeCycles.get(row.tld) ?? genericEndTerms) });
      return { prices: (await queries.allPrices(agreedClock.now())).map(entryOf) };
    },

    showSandbox(_request, context) {
      requireStaff(context);
      if (sandbox === undefined) {
        throw rejectionError(rejection("not-found", "The registrar and the DNS server are not simulated."));
      }
      return sandboxMessage(sandbox.show());
    },

    async reconcileDomains({ fix }, context) {
      requireStaff(context);
      const { differences, unanswered, unlisted } = await dependencies.drift.reconcile(fix);
      return { differences: [...differences], unanswered: [...unanswered], unlisted: [...unlisted] };
    },

    ...readingHandlers(dependencies),
    ...statusHandlers(dependencies),
    ...staffRunHandlers(dependencies),
  };
}

/** What the simulated providers hold. */
function sandboxMessage({ registrar, dns, compute }: SandboxHoldings) {
  return {
    registrar: registrar.map((held) => ({ ...held, nameservers: [...held.nameservers] })),
    dns: dns.map(({ name, records }) => ({
      name,
      records: records.map(({ ttlSeconds, ...record }) => ({ ...record, ttl: ttlSeconds })),
    })),
    compute: compute.map(({ name, node, ipAddress, running, firewall }) => ({
      name,
      node,
      ipAddress,
      running,
      firewallEnabled: firewall.enabled,
      firewallRules: firewall.rules.length,
    })),
  };
}

/** @throws ConnectError where nobody of that name is configured. */
function refuseUnknownRegistrar({ all }: Registrars, registrar: string | null): void {
  if (registrar === null || all.some(({ name }) => name === registrar)) return;
  const known = all.map(({ name }) => name).join(", ");
  throw rejectionError(
    rejection("validation-failed", "The registrar is not configured.", {
      fieldErrors: { registrar: [`must be one of those that are configured: ${known}`] },
    }),
  );
}

function readingHandlers(
  dependencies: DomainDependencies,
): Pick<AdminHandlers, "listAllDomains" | "showDomain"> {
  const { queries } = dependencies;
  return {
    async listAllDomains(request, context) {
      requireStaff(context);
      const page = requestedPage(request.page);
      if (request.accountId === undefined)
        return { domains: (await queries.allDomains(page)).map(staffDomainMessage) };
      const accountId = requestedId("account", request.accountId);
      const rows = await queries.domainsOf(accountId, page);
      const total = BigInt(await queries.domainCount(accountId));
      return { domains: rows.map(staffDomainMessage), total };
    },

    async showDomain({ domain }, context) {
      requireStaff(context);
      return { domain: staffDomainMessage(await domainNamed(dependencies, domain)) };
    },
  };
}

/** A domain by its id or its name. @throws ConnectError `not-found` */
async function domainNamed(dependencies: DomainDependencies, domain: string): Promise<DomainRow> {
  const isId = /^[1-9]\d{0,14}$/u.test(domain);
  const id = isId ? domain : (await registeredAs(dependencies, domain))?.domainId;
  if (id === undefined) throw noSuch("domain");
  return foundRow("domain", BigInt(id), (of) => dependencies.queries.domainById(of));
}

/**
 * Staff's word on a domain (contract, "Life cycle"). Work in progress goes on: a change that the registrar was asked for
 * ends as it would have, and only what is asked for from now on is refused.
 */
function statusHandlers(
  dependencies: DomainDependencies,
): Pick<AdminHandlers, "setDomainSuspension" | "setDomainTransfer" | "releaseDomain" | "allowLateRenewal"> {
  const { changes, clock, commands, projector, queries, registrars, suspensions } = dependencies;
  async function execute(
    name: string,
    command: DomainStatusCommand | AllowLateRenewal,
    request: RequestContext,
  ): Promise<RegisteredDomain> {
    const executed = await commands.execute(domainAggregate, name, command, {
      ...request,
      commandId: `${request.operationId}/${command.type}`,
    });
    if (!executed.accepted) throw rejectionError(executed.rejection);
    if (executed.state.status !== "registered") throw rejectionError(rejection("not-found"));
    await shown(projector, executed);
    return executed.state.domain;
  }
  async function nameOf(domainId: bigint): Promise<string> {
    return (await foundRow("domain", domainId, (id) => queries.domainById(id))).domain_name;
  }

  return {
    async setDomainSuspension({ domainId, suspended, reason }, context) {
      requireStaff(context);
      const staffReason = reason === undefined ? {} : validated({ staffReason: parseStaffReason(reason) });
      const data = { suspended, ...staffReason, at: clock.now() };
      const name = await nameOf(domainId);
      const domain = await execute(name, { type: "SetDomainSuspension", data }, requestContextOf(context));
      // The fact stands. What a provider does not carry out now it is asked again.
      const { offline, position } = await suspensions.settle(name);
      await shown(projector, { position });
      return { domainId, status: domainStatusOf(domain), offline };
    },

    /** The lock comes first: nothing is changed of a domain that is on its way. A repeat finds it so, and reads the code again. */
    async releaseDomain({ domain }, context) {
      requireStaff(context);
      const row = await domainNamed(dependencies, domain);
      const { domain_name: name } = row;
      const request = requestContextOf(context);
      if (row.transferring === 0) {
        const change = { kind: "settings", whoisPrivacy: null, transferLock: false } as const;
        const admit = () => Promise.resolve();
        const wish = { name, changeId: request.operationId, change, waits: true, admit };
        const unlocked = await changes.request(wish, request);
        if (unlocked.kind === "refused") throw rejectionError(unlocked.rejection);
      }
      const data = { transferring: true, at: clock.now() };
      const marked = await execute(name, { type: "SetDomainTransfer", data }, request);
      const authCode = await authCodeOf(registrars, name);
      return { domainId: BigInt(row.id), status: domainStatusOf(marked), authCode };
    },

    async allowLateRenewal({ domain }, context) {
      requireStaff(context);
      const { id, domain_name: name } = await domainNamed(dependencies, domain);
      const data = { at: clock.now() };
      const { expiresAt } = await execute(
        name,
        { type: "AllowLateRenewal", data },
        requestContextOf(context),
      );
      return { domainId: BigInt(id), expiryDate: expiresAt };
    },

    async setDomainTransfer({ domainId, transferring }, context) {
      requireStaff(context);
      const data = { transferring, at: clock.now() };
      const name = await nameOf(domainId);
      const domain = await execute(name, { type: "SetDomainTransfer", data }, requestContextOf(context));
      return { domainId, status: domainStatusOf(domain) };
    },
  };
}
