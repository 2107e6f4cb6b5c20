import type { ServiceImpl } from "@connectrpc/connect";
import {
  coversFee,
  domainAggregate,
  genericEndTerms,
  parseDomainName,
  parseYears,
  rejection,
} from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import {
  ownRow,
  rejectionError,
  requestedSelection,
  requireAccount,
  validated,
  type RequestedSelection,
  selectItems,
} from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import { ownedDomain, registeredAs, registrarHandlers } from "./change-domain.ts";
import { domains } from "../reads/domains.projection.ts";
import type { ShownDomainRow } from "../reads/shown-domain.queries.ts";
import { dnsRecordHandlers } from "./dns-records.ts";
import { priceMessage, statusOf, type ShownAt } from "./domain.message.ts";
import { keptLifeCycles } from "./kept-life-cycles.ts";
import { offerOf, quoteFor } from "./offer.ts";
import { recordSetHandlers } from "./record-sets.ts";
import { registerDomain } from "./register-domain.ts";
import { renewDomain } from "./renew-domain.ts";
import { DetailedDomains, ListedDomains, newMessage } from "./shown-domains.ts";
import { transferDomain } from "./transfer-domain.ts";
import { txtValueHandlers } from "./txt-values.ts";

export function domainRpc(dependencies: DomainDependencies): ServiceImpl<typeof domain.DomainService> {
  const { queries, clock } = dependencies;
  const lifeCyclesFor = keptLifeCycles(queries);
  const shownAtOnce = async (rows: readonly ShownDomainRow[]): Promise<ShownAt> => ({
    now: clock.now(),
    lifeCycles: await lifeCyclesFor(rows),
  });
  const listedDomains = new ListedDomains();
  const detailedDomains = new DetailedDomains();

  return {
    registerDomain: (request, context) => registerDomain(dependencies, request, context),

    async listDomains(request, context) {
      const { accountId } = requireAccount(context);
      const page = requestedSelection(request.page);
      if (request.name !== undefined || page.descending || request.page?.filter !== undefined) {
        const rows =
          request.name === undefined
            ? await queries.selectedDomains(accountId, page)
            : await namedRow(dependencies, request.name, accountId, page);
        const shown = await shownAtOnce(rows);
        return { domains: rows.map((row) => newMessage(row, shown)) };
      }
      if (listedDomains.has(accountId)) {
        const known = listedDomains.find(await queries.marksOf(accountId, page), clock.now());
        if (known !== undefined) return { domains: known };
      }
      const rows = await queries.domainsOf(accountId, page);
      return { domains: await listedDomains.show(accountId, rows, await shownAtOnce(rows)) };
    },

    async getDomain({ domainId }, context) {
      if (detailedDomains.has(Number(domainId))) {
        const marked = await ownRow("domain", domainId, context, (id) => queries.markedDomain(id));
        const known = detailedDomains.find(marked, clock.now());
        if (known !== undefined) return { domain: known };
      }
      const row = await ownRow("domain", domainId, context, (id) => queries.domainWithRecords(id));
      return { domain: detailedDomains.show(row, await shownAtOnce([row])) };
    },

    async getDomainRevision({ domainId }, context) {
      const { domain_name: name } = await ownedDomain(dependencies, domainId, context);
      const loaded = await dependencies.commands.load(domainAggregate, name);
      if (!(await dependencies.projector.after(loaded.position, { names: [domains.name] })))
        throw rejectionError(rejection("overloaded"));
      return { revision: loaded.revision ?? -1n };
    },

    async findDomain({ name }, context) {
      const { accountId } = requireAccount(context);
      const named = await registeredAs(dependencies, name);
      if (named === undefined) throw rejectionError(rejection("not-found"));
      if (named.accountId !== accountId) throw rejectionError(rejection("unauthorized"));
      return { domainId: BigInt(named.domainId) };
    },

    transferDomain: (request, context) => transferDomain(dependencies, request, context),

    renewDomain: (request, context) => renewDomain(dependencies, request, context),

    ...registrarHandlers(dependencies),
    ...dnsRecordHandlers(dependencies),
    ...recordSetHandlers(dependencies),
    ...txtValueHandlers(dependencies),
    ...offerHandlers(dependencies),
  };
}

function offerHandlers(
  dependencies: DomainDependencies,
): Pick<ServiceImpl<typeof domain.DomainService>, "searchDomain" | "listPrices"> {
  const { commands, queries, registrars } = dependencies;
  return {
    async searchDomain(request, context) {
      const { accountId } = requireAccount(context);
      const { domain: name, years } = validated({
        domain: parseDomainName(request.domain),
        years: parseYears(request.years ?? 1),
      });
      const offer = await offerOf(dependencies, name.tld);
      const { state } = await commands.load(domainAggregate, name.name);
      const registrar = await registrars.of(name.name);
      const check = await registrar.check(name.name, { kind: "create", years });
      if (check.outcome !== "done") throw rejectionError(rejection("registrar-unavailable"));
      const yearNetCents = offer.registrationCents;
      const quoted = { name: name.name, years, yearNetCents };
      const { netCents, vatCents, grossCents } = await quoteFor(dependencies, accountId, quoted);
      const { registrationCents, renewalCents, transferCents } = offer;
      const { restoreCents } = offer.endTerms;
      const { available, fee } = check.value;
      const isSold = fee === undefined || coversFee(netCents, fee);
      return {
        domain: name.name,
        available: state.status === "free" && available && isSold,
        price: {
          tld: name.tld,
          registrationCents,
          renewalCents,
          transferCents,
          ...defined({ restoreCents: restoreCents ?? undefined }),
        },
        years,
        netCents,
        vatCents,
        grossCents,
      };
    },

    async listPrices(_request, context) {
      requireAccount(context);
      const onSale = (await queries.allPrices(dependencies.agreedClock.now())).filter(
        (row) => row.active === 1,
      );
      const lifeCycles = await queries.lifeCycles();
      return {
        prices: onSale.map((row) =>
          priceMessage({ ...row, ...(lifeCycles.get(row.tld) ?? genericEndTerms) }),
        ),
      };
    },
  };
}

/** Returns the account's domain of a name, if the selection includes it. */
async function namedRow(
  dependencies: DomainDependencies,
  name: string,
  accountId: number,
  selection: RequestedSelection,
): Promise<readonly ShownDomainRow[]> {
  const named = await registeredAs(dependencies, name);
  if (named?.accountId !== accountId) return [];
  const row = await dependencies.queries.domainWithRecords(named.domainId);
  return selectItems(row === undefined ? [] : [row], selection, (found) => ({
    id: found.id,
    createdAt: found.created_at,
    status: statusOf(found),
  }));
}
