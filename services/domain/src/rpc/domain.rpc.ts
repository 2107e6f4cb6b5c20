import type { ServiceImpl } from "@connectrpc/connect";
import { domainAggregate, parseDomainName, parseYears, rejection } from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import { rejectionError, requestContextOf, requestedPage, requireAccount, validated } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import { registrarHandlers, ownedDomain } from "./change-domain.ts";
import { dnsRecordHandlers } from "./dns-records.ts";
import { domainMessage, priceMessage } from "./domain.message.ts";
import { offerOf, quoteFor } from "./offer.ts";
import { registerDomain } from "./register-domain.ts";
import { renewDomain } from "./renew-domain.ts";
import { transferDomain } from "./transfer-domain.ts";
import { txtValueHandlers } from "./txt-values.ts";

/** The domain's Connect service: one handler for each method. */
export function domainRpc(dependencies: DomainDependencies): ServiceImpl<typeof domain.DomainService> {
  const { clock, commands, queries, registrar } = dependencies;
  return {
    registerDomain: (request, context) => registerDomain(dependencies, request, context),

    async listDomains(request, context) {
      const { accountId } = requireAccount(context);
      const now = clock.now();
      const rows = await queries.domainsOf(accountId, requestedPage(request.page));
      return { domains: rows.map((row) => domainMessage(row, now)) };
    },

    async getDomain(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      return { domain: domainMessage(row, clock.now(), await queries.recordsOf(row.id)) };
    },

    transferDomain: (request, context) => transferDomain(dependencies, request, context),

    renewDomain: (request, context) => renewDomain(dependencies, request, context),

    ...registrarHandlers(dependencies),
    ...dnsRecordHandlers(dependencies),
    ...txtValueHandlers(dependencies),

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

    async listPrices(_request, context) {
      requireAccount(context);
      const onSale = (await queries.allPrices()).filter((row) => row.active === 1);
      return { prices: onSale.map(priceMessage) };
    },
  };
}
