import type { Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";
import type { z } from "zod";

import { operation, type Operation } from "../http/operation.ts";
import { recordTypesOf } from "../http/scopes.ts";
import {
  changedDnsRecord,
  changedRecordSet,
  dnsRecordBody,
  dnsRecordPath,
  domainPath,
  recordSet,
  recordSetBody,
  recordSetPath,
} from "../schemas/domain.schema.ts";
import { done } from "../schemas/values.schema.ts";
import { changedDnsRecordView, changedRecordSetView, recordSetView } from "../views/domain.view.ts";
import { present } from "../views/view.codec.ts";
import { domainIdOf, domainRevisionOf } from "./domain-id.ts";

/** Refusals of changes to a managed zone, besides the rules of record types. */
const zoneRefusals = [
  "change-in-flight",
  "domain-not-active",
  "custom-nameservers",
  "zone-not-ready",
  "protected-record",
  "dns-unavailable",
  "quota-exceeded",
] as const;

export function dnsRoutes(domains: Client<typeof messages.DomainService>): Operation[] {
  return [
    operation({
      id: "addDnsRecord",
      scopes: ["dns", "dns:txt"],
      tag: "DNS",
      method: "post",
      path: "/domains/{domain}/dns",
      summary: "Add a DNS record",
      request: { params: domainPath, body: dnsRecordBody },
      responses: { 201: changedDnsRecord },
      exampleMessage: "DNS record added",
      refusals: zoneRefusals,
      async handle({ params, body }, { call, scopes }) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const request = { domainId, content: content(body), onlyTypes: [...recordTypesOf(scopes)] };
        const added = await domains.addDnsRecord(request, call);
        return { status: 201, body: changedDnsRecordView("DNS record added", added.record) };
      },
    }),
    operation({
      id: "updateDnsRecord",
      scopes: ["dns", "dns:txt"],
      tag: "DNS",
      method: "put",
      path: "/domains/{domain}/dns/{record}",
      summary: "Replace a DNS record",
      description:
        "Without `ttl` it takes that of the other records of its name and type, else 3600; without `priority` there is none.",
      request: { params: dnsRecordPath, body: dnsRecordBody },
      responses: { 200: changedDnsRecord },
      exampleMessage: "DNS record updated",
      refusals: zoneRefusals,
      async handle({ params: { domain, record: recordId }, body }, { call, scopes }) {
        const domainId = await domainIdOf(domains, domain, call);
        const request = { domainId, recordId, content: content(body), onlyTypes: [...recordTypesOf(scopes)] };
        const updated = await domains.updateDnsRecord(request, call);
        return { status: 200, body: changedDnsRecordView("DNS record updated", updated.record) };
      },
    }),
    operation({
      id: "deleteDnsRecord",
      scopes: ["dns", "dns:txt"],
      tag: "DNS",
      method: "delete",
      path: "/domains/{domain}/dns/{record}",
      summary: "Remove a DNS record",
      request: { params: dnsRecordPath },
      responses: { 200: done },
      exampleMessage: "DNS record deleted",
      refusals: zoneRefusals,
      async handle({ params: { domain, record: recordId } }, { call, scopes }) {
        const domainId = await domainIdOf(domains, domain, call);
        await domains.deleteDnsRecord({ domainId, recordId, onlyTypes: [...recordTypesOf(scopes)] }, call);
        return { status: 200, body: { status: true, message: "DNS record deleted" } };
      },
    }),
    ...recordSetRoutes(domains),
  ];
}

/** Operations on whole record sets, for programs that synchronise zones. */
function recordSetRoutes(domains: Client<typeof messages.DomainService>): Operation[] {
  const path = "/domains/{domain}/dns/rrsets/{name}/{type}";
  return [
    operation({
      id: "getRecordSet",
      scopes: ["read", "dns", "dns:txt"],
      tag: "DNS",
      method: "get",
      path,
      summary: "Read a record set",
      request: { params: recordSetPath },
      responses: { 200: recordSet },
      refusals: ["validation-failed"],
      async handle({ params: { domain, ...set } }, { call }) {
        const domainId = await domainIdOf(domains, domain, call);
        const found = await domains.getRecordSet({ domainId, ...set }, call);
        return { status: 200, body: recordSetView(present(found.set, "GetRecordSetResponse.set")) };
      },
    }),
    operation({
      id: "replaceRecordSet",
      scopes: ["dns", "dns:txt"],
      tag: "DNS",
      method: "put",
      path,
      summary: "Replace a record set",
      description: "All records of the name and type at once. Without `ttl` it is 3600.",
      request: { params: recordSetPath, body: recordSetBody },
      responses: { 200: changedRecordSet },
      exampleMessage: "Record set replaced",
      refusals: zoneRefusals,
      revisionOf: ({ params }, { call }) => domainRevisionOf(domains, params.domain, call),
      async handle({ params: { domain, ...named }, body }, { call, scopes }) {
        const domainId = await domainIdOf(domains, domain, call);
        const set = { ...named, ttl: body.ttl, records: body.records.map(content) };
        const request = { domainId, set, onlyTypes: [...recordTypesOf(scopes)] };
        const replaced = await domains.replaceRecordSet(request, call);
        return { status: 200, body: changedRecordSetView("Record set replaced", replaced) };
      },
    }),
    operation({
      id: "deleteRecordSet",
      scopes: ["dns", "dns:txt"],
      tag: "DNS",
      method: "delete",
      path,
      summary: "Delete a record set",
      request: { params: recordSetPath },
      responses: { 200: changedRecordSet },
      exampleMessage: "Record set deleted",
      refusals: ["validation-failed", ...zoneRefusals],
      revisionOf: ({ params }, { call }) => domainRevisionOf(domains, params.domain, call),
      async handle({ params: { domain, ...set } }, { call, scopes }) {
        const domainId = await domainIdOf(domains, domain, call);
        const request = { domainId, set, onlyTypes: [...recordTypesOf(scopes)] };
        const deleted = await domains.replaceRecordSet(request, call);
        return { status: 200, body: changedRecordSetView("Record set deleted", deleted) };
      },
    }),
  ];
}

function content<Record extends Pick<z.output<typeof dnsRecordBody>, "priority">>({
  priority,
  ...record
}: Record) {
  return { ...record, priority: priority ?? undefined };
}
