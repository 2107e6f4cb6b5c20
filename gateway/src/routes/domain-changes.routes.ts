import type { Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";

import { operation, type Operation } from "../http/operation.ts";
import {
  authCode,
  changedDomain,
  domainPath,
  domainSettingsBody,
  renewDomainBody,
  renewedDomain,
  updateNameserversBody,
} from "../schemas/domain.schema.ts";
import {
  cancelledDomainView,
  changedDomainView,
  changedSettingsView,
  renewedDomainView,
  restoredDomainView,
} from "../views/domain.view.ts";
import { domainIdOf, domainRevisionOf } from "./domain-id.ts";

type DomainClient = Client<typeof messages.DomainService>;

export function domainChangeRoutes(domains: DomainClient): Operation[] {
  return [...settings(domains), cancellation(domains), ...renewalAndTransfer(domains)];
}

function settings(domains: DomainClient): Operation[] {
  return [
    operation({
      id: "updateNameservers",
      scopes: ["domains"],
      tag: "Domains",
      method: "put",
      path: "/domains/{domain}/nameservers",
      summary: "Switch a domain between the service's nameservers and its own",
      request: { params: domainPath, body: updateNameserversBody },
      responses: { 200: changedDomain },
      exampleMessage: "Nameservers updated",
      refusals: [
        "quota-exceeded",
        "change-in-flight",
        "domain-not-active",
        "registrar-unavailable",
        "registrar-refused",
        "dns-unavailable",
      ],
      async handle(
        { params, body: { use_rdp_nameservers: useServiceNameservers, nameservers = [] } },
        { call },
      ) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const change = { domainId, useServiceNameservers, nameservers };
        const changed = await domains.updateNameservers(change, call);
        return { status: 200, body: changedDomainView("Nameservers updated", changed.domain) };
      },
    }),
    operation({
      id: "updateDomainSettings",
      scopes: ["domains"],
      tag: "Domains",
      method: "put",
      path: "/domains/{domain}/settings",
      summary: "Set automatic renewal, WHOIS privacy and the transfer lock",
      description:
        "What is absent stays as it is. Where automatic renewal is turned off, `message` says when the domain ends.",
      request: { params: domainPath, body: domainSettingsBody },
      responses: { 200: changedDomain },
      exampleMessage: "Settings updated",
      refusals: [
        "domain-not-renewable",
        "change-in-flight",
        "domain-not-active",
        "registrar-unavailable",
        "registrar-refused",
        "quota-exceeded",
      ],
      async handle({ params, body }, { call }) {
        const changed = await domains.updateSettings(
          {
            domainId: await domainIdOf(domains, params.domain, call),
            autoRenew: body.auto_renew,
            whoisPrivacy: body.whois_privacy,
            lockStatus: body.lock_status,
          },
          call,
        );
        return { status: 200, body: changedSettingsView(changed.domain, body.auto_renew) };
      },
    }),
  ];
}

function cancellation(domains: DomainClient): Operation {
  return operation({
    id: "cancelDomain",
    scopes: ["domains"],
    tag: "Domains",
    method: "delete",
    path: "/domains/{domain}",
    summary: "End a domain with its term",
    description:
      "It does not renew itself any more; until it expires it stays as it is. `message` says until when it can be renewed after that, and when it is deleted. Turning automatic renewal on takes the cancellation back.",
    request: { params: domainPath },
    responses: { 202: changedDomain },
    exampleMessage:
      "The domain does not renew itself: it expires on 2027-11-21, can be renewed at the normal price until 2028-01-05, and is deleted on 2028-02-09.",
    refusals: ["domain-not-active", "quota-exceeded"],
    revisionOf: ({ params }, { call }) => domainRevisionOf(domains, params.domain, call),
    async handle({ params }, { call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      const { domain } = await domains.cancelDomain({ domainId }, call);
      return { status: 202, body: cancelledDomainView(domain) };
    },
  });
}

function renewalAndTransfer(domains: DomainClient): Operation[] {
  return [
    operation({
      id: "renewDomain",
      scopes: ["domains"],
      tag: "Domains",
      method: "post",
      path: "/domains/{domain}/renew",
      summary: "Renew a domain and pay for it from the balance",
      request: { params: domainPath, body: renewDomainBody },
      responses: { 200: renewedDomain },
      exampleMessage: "Domain renewed",
      refusals: [
        "insufficient-balance",
        "renewal-in-flight",
        "domain-not-renewable",
        "registrar-failed",
        "quota-exceeded",
      ],
      async handle({ params, body }, { call }) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const renewed = await domains.renewDomain({ domainId, ...body }, call);
        return { status: 200, body: renewedDomainView(renewed) };
      },
    }),
    operation({
      id: "restoreDomain",
      scopes: ["domains"],
      tag: "Domains",
      method: "post",
      path: "/domains/{domain}/restore",
      summary: "Have an expired domain back that its registry withholds",
      description:
        "From `hold_begins_at` on a domain is not renewed any more: until it is about to be deleted it can be restored, for `restore_price` and with one more year.",
      request: { params: domainPath },
      responses: { 200: renewedDomain },
      exampleMessage: "Domain restored",
      refusals: [
        "insufficient-balance",
        "renewal-in-flight",
        "not-restorable",
        "registrar-failed",
        "quota-exceeded",
      ],
      async handle({ params }, { call }) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const restored = await domains.renewDomain({ domainId, restore: true }, call);
        return { status: 200, body: restoredDomainView(restored) };
      },
    }),
    operation({
      id: "getAuthCode",
      // Not the scope "read": a reader of the code could transfer the domain away.
      scopes: ["domains"],
      tag: "Domains",
      method: "get",
      path: "/domains/{domain}/auth-code",
      summary: "Read the code with which a domain can be transferred",
      request: { params: domainPath },
      responses: { 200: authCode },
      secret: "auth_code",
      refusals: ["domain-not-active", "registrar-unavailable", "registrar-refused"],
      async handle({ params }, { call }) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const { authCode: code } = await domains.getAuthCode({ domainId }, call);
        return { status: 200, body: { status: true, auth_code: code } };
      },
    }),
  ];
}
