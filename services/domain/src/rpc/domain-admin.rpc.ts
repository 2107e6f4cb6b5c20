import type { ServiceImpl } from "@connectrpc/connect";
import {
  domainAggregate,
  priceListAggregate,
  domainStatusOf,
  genericEndTerms,
  parseInstant,
  parseStaffReason,
  pricesAt,
  rejection,
  type AllowLateRenewal,
  type DomainStatusCommand,
  type EndTerms,
  type Prices,
  type RegisteredDomain,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { Registrars, SandboxHoldings } from "@hostledger/providers";
import {
  foundRow,
  noSuch,
  rejectionError,
  requestContextOf,
  requestedId,
  requestedPage,
  type WithContextValues,
  validated,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { staffCommand } from "@hostledger/work";

import type { DomainDependencies } from "../dependencies.ts";
import { carryOutSuspension } from "../effects/domain-suspension.effects.ts";
import type { PricesNow } from "../reads/domain.queries.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { authCodeOf, registeredAs } from "./change-domain.ts";
import { staffRunHandlers } from "./domain-runs.rpc.ts";
import { priceEntryMessage, staffDomainMessage } from "./domain.message.ts";

type AdminHandlers = ServiceImpl<typeof admin.DomainAdminService>;

/** Creates the staff's handlers of prices, domains and runs. */
export function domainAdminRpc(dependencies: DomainDependencies): AdminHandlers {
  const { agreedClock, queries, sandbox } = dependencies;
  return {
    ...priceHandlers(dependencies),

    async listAllPrices() {
      const lifeCycles = await queries.lifeCycles();
      const entryOf = (row: PricesNow) =>
        priceEntryMessage({ ...row, ...(lifeCycles.get(row.tld) ?? genericEndTerms) });
      return { prices: (await queries.allPrices(agreedClock.now())).map(entryOf) };
    },

    showSandbox() {
      if (sandbox === undefined) {
        throw rejectionError(rejection("not-found", "The registrar and the DNS server are not simulated."));
      }
      return sandboxMessage(sandbox.show());
    },

    async reconcileDomains({ fix }) {
      const { differences, unanswered, unlisted } = await dependencies.drift.reconcile(fix);
      return { differences: [...differences], unanswered: [...unanswered], unlisted: [...unlisted] };
    },

    ...readingHandlers(dependencies),
    ...statusHandlers(dependencies),
    ...staffRunHandlers(dependencies),
  };
}

type PriceChange = Omit<admin.ChangePriceRequest, "$typeName" | "$unknown" | "registrar"> & {
  /** Null for the default registrar; absent leaves the registrar unchanged. */
  readonly registrar?: string | null | undefined;
};

function priceHandlers(dependencies: DomainDependencies): Pick<AdminHandlers, "setPrice" | "changePrice"> {
  return {
    async setPrice({ $typeName: _, $unknown: __, registrar = null, ...request }, context) {
      const { tld, withdrawnFrom, repeated } = await setPrices(
        dependencies,
        { ...request, registrar },
        context,
      );
      return { tld, repeated, ...defined({ withdrawnFrom }) };
    },

    async changePrice({ $typeName: _, $unknown: __, ...request }, context) {
      const { state, tld, withdrawnFrom, repeated } = await setPrices(dependencies, request, context);
      const { endTerms, announced, ...prices } = state;
      const price = {
        tld,
        ...centsOf(prices),
        ...endTermsMessage(endTerms),
        ...(announced === null
          ? {}
          : { announced: { ...centsOf(announced), validFrom: announced.validFrom } }),
      };
      return { price, repeated, ...defined({ withdrawnFrom }) };
    },
  };
}

function centsOf({ registrationCents, renewalCents, transferCents, active, registrar }: Prices) {
  const cents = { registrationCents, renewalCents, transferCents, active };
  return { ...cents, ...defined({ registrar: registrar ?? undefined }) };
}

function endTermsMessage({ restoreCents, ...days }: EndTerms) {
  return { ...days, ...defined({ restoreCents: restoreCents ?? undefined }) };
}

/** Sets prices and waits until customers see them. @throws ConnectError for a rejection. */
async function setPrices(dependencies: DomainDependencies, change: PriceChange, context: WithContextValues) {
  const { agreedClock, commands, registrars } = dependencies;
  const { tld, graceDays, redemptionDays, pendingDeleteDays, restoreCents, validFrom: from } = change;
  const { registrationCents, renewalCents, transferCents, active, registrar } = change;
  const prices = defined({ registrationCents, renewalCents, transferCents, active, registrar });
  const endTerms = defined({ graceDays, redemptionDays, pendingDeleteDays, restoreCents });
  const { validFrom } = from === undefined ? {} : validated({ validFrom: parseInstant(from) });
  refuseUnknownRegistrar(registrars, registrar ?? null);
  const at = agreedClock.now();
  // Invalid extensions, which the decider refuses, must not become stream names.
  const stream = /^[a-z]{2,63}$/.test(tld) ? tld : "invalid";
  const before = pricesAt((await commands.load(priceListAggregate, stream)).state, at);
  const data = { tld, ...prices, endTerms, ...defined({ validFrom }), at };
  const command = { type: "SetPrice", data } as const;
  const sent = { aggregate: priceListAggregate, id: stream, command };
  const { state: list, repeated } = await staffCommand(dependencies, context, sent);
  const state = pricesAt(list, at);
  if (state.status !== "priced") throw new Error(`${tld} took prices but has none`);
  const withdrawn = before.status === "priced" ? before.announced?.validFrom : undefined;
  const withdrawnFrom = withdrawn === state.announced?.validFrom ? undefined : withdrawn;
  return { tld, state, withdrawnFrom, repeated };
}

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

/** @throws ConnectError if no registrar of this name is configured. */
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
    async listAllDomains(request) {
      const page = requestedPage(request.page);
      if (request.accountId === undefined)
        return { domains: (await queries.allDomains(page)).map(staffDomainMessage) };
      const accountId = requestedId("account", request.accountId);
      const rows = await queries.domainsOf(accountId, page);
      const total = BigInt(await queries.domainCount(accountId));
      return { domains: rows.map(staffDomainMessage), total };
    },

    async showDomain({ domain }) {
      return { domain: staffDomainMessage(await domainNamed(dependencies, domain)) };
    },
  };
}

/** Finds a domain by id or name. @throws ConnectError `not-found` */
async function domainNamed(dependencies: DomainDependencies, domain: string): Promise<DomainRow> {
  const isId = /^[1-9]\d{0,14}$/u.test(domain);
  const id = isId ? domain : (await registeredAs(dependencies, domain))?.domainId;
  if (id === undefined) throw noSuch("domain");
  return foundRow("domain", BigInt(id), (of) => dependencies.queries.domainById(of));
}

/** Creates the staff's handlers of statuses (contract, "Life cycle"); changes in progress continue. */
function statusHandlers(
  dependencies: DomainDependencies,
): Pick<AdminHandlers, "setDomainSuspension" | "setDomainTransfer" | "releaseDomain" | "allowLateRenewal"> {
  const { changes, clock, queries, registrars } = dependencies;
  async function execute(
    name: string,
    command: DomainStatusCommand | AllowLateRenewal,
    context: WithContextValues,
  ): Promise<{ readonly domain: RegisteredDomain; readonly repeated: boolean }> {
    const sent = { aggregate: domainAggregate, id: name, command };
    const { state, repeated } = await staffCommand(dependencies, context, sent);
    if (state.status !== "registered") throw rejectionError(rejection("not-found"));
    return { domain: state.domain, repeated };
  }
  async function nameOf(domainId: bigint): Promise<string> {
    return (await foundRow("domain", domainId, (id) => queries.domainById(id))).domain_name;
  }

  return {
    async setDomainSuspension({ domainId, suspended, reason }, context) {
      const given = reason === undefined ? undefined : validated({ reason: parseStaffReason(reason) });
      const data = { suspended, ...defined({ staffReason: given?.reason }), at: clock.now() };
      const name = await nameOf(domainId);
      const { domain, repeated } = await execute(name, { type: "SetDomainSuspension", data }, context);
      const offline = await carryOutSuspension(dependencies, name);
      return { domainId, status: domainStatusOf(domain), offline, repeated };
    },

    /** Removes the transfer lock first, because a leaving domain permits no change. A repeat reads authInfo again. */
    async releaseDomain({ domain }, context) {
      const row = await domainNamed(dependencies, domain);
      const { domain_name: name } = row;
      const request = requestContextOf(context);
      if (row.transferring === 0) {
        const change = { kind: "settings", whoisPrivacy: null, transferLock: false } as const;
        const admit = () => Promise.resolve();
        const requested = { name, changeId: request.operationId, change, waits: true, admit };
        const unlocked = await changes.request(requested, request);
        if (unlocked.kind === "refused") throw rejectionError(unlocked.rejection);
      }
      const data = { transferring: true, at: clock.now() };
      const { domain: marked } = await execute(name, { type: "SetDomainTransfer", data }, context);
      const authCode = await authCodeOf(registrars, name);
      return { domainId: BigInt(row.id), status: domainStatusOf(marked), authCode };
    },

    async allowLateRenewal({ domain }, context) {
      const { id, domain_name: name } = await domainNamed(dependencies, domain);
      const data = { at: clock.now() };
      const allowed = await execute(name, { type: "AllowLateRenewal", data }, context);
      const { domain: renewed, repeated } = allowed;
      return { domainId: BigInt(id), expiryDate: renewed.expiresAt, repeated };
    },

    async setDomainTransfer({ domainId, transferring }, context) {
      const data = { transferring, at: clock.now() };
      const name = await nameOf(domainId);
      const { domain, repeated } = await execute(name, { type: "SetDomainTransfer", data }, context);
      return { domainId, status: domainStatusOf(domain), repeated };
    },
  };
}
