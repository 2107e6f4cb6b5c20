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
import { rejectionError, requestContextOf, requestedPage, requireAccount, validated } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import { ownedDomain, registeredAs, registrarHandlers } from "./change-domain.ts";
import { dnsRecordHandlers } from "./dns-records.ts";
import { domainMessage, priceMessage } from "./domain.message.ts";
import { offerOf, quoteFor } from "./offer.ts";
import { recordSetHandlers } from "./record-sets.ts";
import { registerDomain } from "./register-domain.ts";
import { renewDomain } from "./renew-domain.ts";
import { ShownDomains } from "./shown-domains.ts";
import { transferDomain } from "./transfer-domain.ts";
import { txtValueHandlers } from "./txt-values.ts";

/** The domain's Connect service: one handler for each method. */
export function domainRpc(dependencies: DomainDependencies): ServiceImpl<typeof domain.DomainService> {
  const { queries } = dependencies;
  const shownDomains = new ShownDomains();

  return {
    registerDomain: (request, context) => registerDomain(dependencies, request, context),

    async listDomains(request, context) {
      const { accountId } = requireAccount(context);
      const page = requestedPage(request.page);
      const shown = await shownNow(dependencies);
      if (request.name === undefined)
        return { domains: shownDomains.page(await queries.domainsOf(accountId, page), shown) };
      const named = await registeredAs(dependencies, request.name);
      const row = named?.accountId === accountId ? await queries.domainById(named.domainId) : undefined;
      const isOnPage = row !== undefined && row.id > page.afterId;
      return { domains: isOnPage ? shownDomains.page([row], shown) : [] };
    },

    async getDomain(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      return { domain: domainMessage(row, await shownNow(dependencies), await queries.recordsOf(row.id)) };
    },

    async findDomain(request, context) {
      const { accountId } = requireAccount(context);
      const named = await registeredAs(dependencies, request.name);
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

/** What may be bought, and for how much. */
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
      const { netCents, vatCents, grossCents } = await quoteFor(
        dependencies,
        accountId,
        { name: name.name, years, yearNetCents: offer.registrationCents },
        requestContextOf(context),
      );
      const { registrationCents, renewalCents, transferCents } = offer;
      const { restoreCents } = offer.endTerms;
      const { available, fee } = check.value;
      const isSold = fee === undefined || coversFee(netCents, fee);
      return {
        domain: name.name,
        available: state.status === "free" && available && isSold,
        price: {
          ...{ tld: name.tld, registrationCents, renewalCents, transferCents },
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
      const onSale = (await queries.allPrices(dependencies.clock.now())).filter((row) => row.active === 1);
      const lifeCycles = await queries.lifeCycles();
      return {
        prices: onSale.map((row) =>
          priceMessage({ ...row, ...(lifeCycles.get(row.tld) ?? genericEndTerms) }),
        ),
      };
    },
  };
}

/** What a domain's message says beside its row, at this moment. */
async function shownNow({ clock, queries }: DomainDependencies) {
  return { now: clock.now(), lifeCycles: await queries.lifeCycles() };
}
