import type { ServiceImpl } from "@connectrpc/connect";
import { parseDomainName, parseId, parseYears, rejection } from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import { rejectionError, requestContextOf, requireAccount, validated } from "@hostledger/rpc";

import { domainAggregate } from "../aggregates.ts";
import type { DomainDependencies } from "../dependencies.ts";
import { domainMessage, priceMessage } from "./domain.message.ts";
import { offerOf, quoteFor } from "./offer.ts";
import { registerDomain } from "./register-domain.ts";

/** The domain's Connect service: one handler for each method. */
export function domainRpc(dependencies: DomainDependencies): ServiceImpl<typeof domain.DomainService> {
  const { clock, commands, queries, registrar } = dependencies;
  return {
    registerDomain: (request, context) => registerDomain(dependencies, request, context),

    listDomains(_request, context) {
      const { accountId } = requireAccount(context);
      const now = clock.now();
      return { domains: queries.domainsOf(accountId).map((row) => domainMessage(row, now)) };
    },

    getDomain(request, context) {
      const { accountId } = requireAccount(context);
      const id = parseId(request.domainId);
      const row = id.ok ? queries.domainById(id.value) : undefined;
      if (row === undefined) throw rejectionError(rejection("not-found", "There is no such domain."));
      if (row.account_id !== accountId) throw rejectionError(rejection("unauthorized"));
      return { domain: domainMessage(row, clock.now(), queries.recordsOf(row.id)) };
    },

    async searchDomain(request, context) {
      const { accountId } = requireAccount(context);
      const { domain: name, years } = validated({
        domain: parseDomainName(request.domain),
        years: parseYears(request.years ?? 1),
      });
      const offer = await offerOf(dependencies, name.tld);
      const { state } = await commands.load(domainAggregate, name.name);
      const check = await registrar.check(name.name);
      if (check.outcome !== "done") throw rejectionError(rejection("registrar-unavailable"));
      const { netCents, vatCents, grossCents } = await quoteFor(
        dependencies,
        accountId,
        { name: name.name, years, yearNetCents: offer.registrationCents },
        requestContextOf(context),
      );
      const { registrationCents, renewalCents, transferCents } = offer;
      return {
        domain: name.name,
        available: state.status === "free" && check.value.available,
        price: { tld: name.tld, registrationCents, renewalCents, transferCents },
        years,
        netCents,
        vatCents,
        grossCents,
      };
    },

    listPrices(_request, context) {
      requireAccount(context);
      const onSale = queries.allPrices().filter((row) => row.active === 1);
      return { prices: onSale.map(priceMessage) };
    },
  };
}
