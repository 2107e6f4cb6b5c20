import type { domain as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { keptJson } from "../../http/kept-json.ts";
import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import { domainNameText, flag, nameservers, succeeded } from "../../http/values.schema.ts";
import { present } from "../../http/view.codec.ts";
import {
  domain,
  domainIdOf,
  domainPath,
  domainRevisionOf,
  domainView,
  domainWithRecords,
  domainWithRecordsView,
} from "./domain.ts";

/** Body of `PUT /domains/{domain}/nameservers` (specification §4.4). */
const updateNameserversBody = z
  .object({
    use_rdp_nameservers: flag.meta({
      description:
        "True sets the service's nameservers and manages DNS here. False sets the hosts in `nameservers`.",
      examples: [true],
    }),
    nameservers: nameservers.optional(),
  })
  .refine((body) => body.use_rdp_nameservers || body.nameservers !== undefined, {
    path: ["nameservers"],
    error: "is required when use_rdp_nameservers is false",
  });

/** Body of `PUT /domains/{domain}/settings`; absent fields stay unchanged. */
const domainSettingsBody = z.object({
  auto_renew: flag.optional().meta({ description: "Renew automatically.", examples: [true] }),
  whois_privacy: flag.optional().meta({ description: "WHOIS privacy.", examples: [true] }),
  lock_status: flag.optional().meta({ description: "Registrar transfer lock.", examples: [true] }),
});

const changedDomain = succeeded({ domain });

const changedDomainView = (changed: messages.Domain | undefined) => ({
  domain: domainView(present(changed, "the changed domain")),
});

const domainsJson = keptJson(domainView);
const domainWithRecordsJson = keptJson(domainWithRecordsView);

/** Explains when a domain without automatic renewal expires and is deleted. */
function endingOf(changed: messages.Domain | undefined): string {
  const { status, expiryDate, holdBeginsAt, deletesAt } = present(changed, "the changed domain");
  const ending = "The domain does not renew itself";
  if (expiryDate === undefined || holdBeginsAt === undefined || deletesAt === undefined) return `${ending}.`;
  const day = (instant: string): string => instant.slice(0, 10);
  return (
    `${ending}: it ${status === "expired" ? "expired" : "expires"} on ${day(expiryDate)}, ` +
    `can be renewed at the normal price until ${day(holdBeginsAt)}, and is deleted on ${day(deletesAt)}.`
  );
}

/** Operations to read, configure and cancel domains. */
export const domainOperations = [
  operation({
    id: "listDomains",
    scopes: ["domains", "dns", "dns:txt", "read"],
    route: "GET /domains",
    summary: "List the account's domains, oldest first",
    request: {
      query: listQuery.extend({
        status: statusText(["active", "suspended", "transferring", "expired"]),
        name: domainNameText.optional(),
      }),
    },
    responses: { 200: z.array(domain) },
    refusals: [],
    answer: ({ query }, { domains, call }) =>
      listed(
        "/domains",
        query,
        async ({ filter: { name, ...filter } = {}, ...page }) => {
          const asked = Object.keys(filter).length === 0 ? page : { ...page, filter };
          return (await domains.listDomains({ page: asked, ...defined({ name }) }, call)).domains;
        },
        (items) => domainsJson.list(items),
      ),
  }),
  operation({
    id: "getDomain",
    scopes: ["domains", "dns", "dns:txt", "read"],
    route: "GET /domains/{domain}",
    summary: "Read a domain with its DNS records",
    request: { params: domainPath },
    responses: { 200: domainWithRecords },
    refusals: [],
    async answer({ params }, { domains, call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      const found = await domains.getDomain({ domainId }, call);
      const text = domainWithRecordsJson.one(present(found.domain, "GetDomainResponse.domain"));
      return { status: 200, text };
    },
  }),
  operation({
    id: "updateNameservers",
    scopes: ["domains"],
    route: "PUT /domains/{domain}/nameservers",
    summary: "Set a domain's nameservers to those of the service or to others",
    request: { params: domainPath, body: updateNameserversBody },
    responses: { 200: changedDomain },
    message: "Nameservers updated",
    refusals: [
      "quota-exceeded",
      "change-in-flight",
      "domain-not-active",
      "registrar-unavailable",
      "registrar-refused",
      "dns-unavailable",
    ],
    async body({ params, body }, { domains, call }) {
      const { use_rdp_nameservers: useServiceNameservers, nameservers: own = [] } = body;
      const domainId = await domainIdOf(domains, params.domain, call);
      const change = { domainId, useServiceNameservers, nameservers: own };
      return changedDomainView((await domains.updateNameservers(change, call)).domain);
    },
  }),
  operation({
    id: "updateDomainSettings",
    scopes: ["domains"],
    route: "PUT /domains/{domain}/settings",
    summary: "Set automatic renewal, WHOIS privacy and the transfer lock",
    description:
      "Absent fields stay unchanged. If automatic renewal is turned off, `message` says when the domain ends.",
    request: { params: domainPath, body: domainSettingsBody },
    responses: { 200: changedDomain },
    message: "Settings updated",
    refusals: [
      "domain-not-renewable",
      "change-in-flight",
      "domain-not-active",
      "registrar-unavailable",
      "registrar-refused",
      "quota-exceeded",
    ],
    async body({ params, body }, { domains, call }) {
      const { auto_renew: autoRenew, whois_privacy: whoisPrivacy, lock_status: lockStatus } = body;
      const domainId = await domainIdOf(domains, params.domain, call);
      const settings = { domainId, autoRenew, whoisPrivacy, lockStatus };
      const { domain: changed } = await domains.updateSettings(settings, call);
      const ending = autoRenew === false ? `. ${endingOf(changed)}` : "";
      return { message: `Settings updated${ending}`, ...changedDomainView(changed) };
    },
  }),
  operation({
    id: "cancelDomain",
    scopes: ["domains"],
    route: "DELETE /domains/{domain}",
    summary: "End a domain with its term",
    description:
      "Turns automatic renewal off; until expiry the domain stays unchanged. `message` says until when it can be renewed after that, and when it is deleted. " +
      "Turning automatic renewal on revokes the cancellation.",
    request: { params: domainPath },
    responses: { 202: changedDomain },
    message:
      "The domain does not renew itself: it expires on 2027-11-21, can be renewed at the normal price until 2028-01-05, and is deleted on 2028-02-09.",
    refusals: ["domain-not-active", "quota-exceeded"],
    revisionOf: ({ params }, caller) => domainRevisionOf(params.domain, caller),
    async body({ params }, { domains, call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      const { domain: cancelled } = await domains.cancelDomain({ domainId }, call);
      return { message: endingOf(cancelled), ...changedDomainView(cancelled) };
    },
  }),
];
