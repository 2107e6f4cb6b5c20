import { domain as messages } from "@hostledger/protocol";
import { z } from "zod";

import { operation } from "../../http/operation.ts";
import { recordTypesOf } from "../../http/scopes.ts";
import {
  done,
  integer,
  line,
  otherwise,
  resourceId,
  shownText,
  succeeded,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";
import {
  dnsRecord,
  dnsRecordView,
  domainIdOf,
  domainPath,
  domainRevisionOf,
  recordTypes,
} from "../domains/domain.ts";

const dnsRecordPath = domainPath.extend({ record: resourceId.meta({ description: "DNS record id." }) });

const typeRule = `must be one of ${recordTypes.join(", ")}`;
const recordType = z
  .string({ error: otherwise(typeRule) })
  .transform((type) => type.toUpperCase())
  .pipe(z.enum(recordTypes, { error: typeRule }))
  .meta({ override: { type: "string", enum: [...recordTypes], examples: ["A"] } });

/** Body of `POST /domains/{domain}/dns` and `PUT …/dns/{record}` (specification §2.2). */
const dnsRecordBody = z.object({
  type: recordType,
  name: line({ minimum: 1, maximum: 255 }).meta({
    description:
      "Name relative to the zone; `@` is the apex. A name that ends with the domain's name, with or without a final dot, is absolute.",
    examples: ["shop"],
  }),
  value: line({ minimum: 1, maximum: 1_000 }).meta({
    description: "IP address, host name or text, depending on the type.",
    examples: ["198.51.100.7"],
  }),
  ttl: integer(60, 86_400)
    .optional()
    .meta({
      description:
        "TTL in seconds. Default: the TTL of the other records of the name and type, otherwise 3600.",
      examples: [3_600],
    }),
  priority: integer(0, 65_535)
    .nullish()
    .meta({ description: "Priority; required for MX and SRV.", examples: [null, 10] }),
});

const recordSetPath = domainPath.extend({
  name: z
    .string()
    .max(255)
    .regex(/^(?:@|(?:\*|\w[\w-]*)(?:\.\w[\w-]*)*\.?)$/)
    .meta({ description: "Name relative to the zone; `@` is the apex.", examples: ["www", "@"] }),
  type: recordType,
});

const recordsRule = "must be an array of 1 to 100 records, each with a value";
const { value, priority } = dnsRecordBody.shape;

/** Body of `PUT /domains/{domain}/dns/rrsets/{name}/{type}`. */
const recordSetBody = dnsRecordBody.pick({ ttl: true }).extend({
  records: z
    .array(z.object({ value, priority }, { error: "must be an object with a value" }), {
      error: otherwise(recordsRule),
    })
    .min(1, { error: recordsRule })
    .max(100, { error: recordsRule })
    .meta({
      description: "All records of the set. Other records of the name and type are removed.",
      examples: [[{ value: "198.51.100.7" }]],
    }),
});

/** A record set: all records of one name and type (RFC 2181 §5). */
const recordSet = z
  .object({
    name: shownText("www"),
    type: z.string().meta({ enum: recordTypes }),
    ttl: z.int().meta({ description: "TTL of all records, in seconds.", examples: [3_600] }),
    records: z.array(
      z.object({
        value: shownText("198.51.100.7"),
        priority: z
          .int()
          .nullable()
          .meta({ examples: [null] }),
      }),
    ),
  })
  .meta({ id: "RecordSet", description: "All records of one name and type in a managed zone." });

const changedDnsRecord = succeeded({ record: dnsRecord });

const changedRecordSet = succeeded(recordSet.shape);

const changedDnsRecordView = (changed: messages.DnsRecord | undefined) => ({
  record: dnsRecordView(present(changed, "the changed DNS record")),
});

const recordSetView = view(messages.RecordSetSchema, recordSet, {
  ttl: ({ ttl }) => present(ttl, "RecordSet.ttl"),
  records: ({ records }) =>
    records.map((record) => ({ value: record.value, priority: record.priority ?? null })),
});

function content<Record extends Pick<z.output<typeof dnsRecordBody>, "priority">>({
  priority: given,
  ...record
}: Record) {
  return { ...record, priority: given ?? undefined };
}

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

const recordOperations = [
  operation({
    id: "addDnsRecord",
    scopes: ["dns", "dns:txt"],
    route: "POST /domains/{domain}/dns",
    summary: "Add a DNS record",
    request: { params: domainPath, body: dnsRecordBody },
    responses: { 201: changedDnsRecord },
    message: "DNS record added",
    refusals: zoneRefusals,
    async body({ params, body }, { domains, call, scopes }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      const request = { domainId, content: content(body), onlyTypes: recordTypesOf(scopes) };
      return changedDnsRecordView((await domains.addDnsRecord(request, call)).record);
    },
  }),
  operation({
    id: "updateDnsRecord",
    scopes: ["dns", "dns:txt"],
    route: "PUT /domains/{domain}/dns/{record}",
    summary: "Replace a DNS record",
    description:
      "Without `ttl` the record gets the TTL of the other records of its name and type, otherwise 3600. Without `priority` it has none.",
    request: { params: dnsRecordPath, body: dnsRecordBody },
    responses: { 200: changedDnsRecord },
    message: "DNS record updated",
    refusals: zoneRefusals,
    async body({ params: { domain, record: recordId }, body }, { domains, call, scopes }) {
      const domainId = await domainIdOf(domains, domain, call);
      const request = { domainId, recordId, content: content(body), onlyTypes: recordTypesOf(scopes) };
      return changedDnsRecordView((await domains.updateDnsRecord(request, call)).record);
    },
  }),
  operation({
    id: "deleteDnsRecord",
    scopes: ["dns", "dns:txt"],
    route: "DELETE /domains/{domain}/dns/{record}",
    summary: "Remove a DNS record",
    request: { params: dnsRecordPath },
    responses: { 200: done },
    message: "DNS record deleted",
    refusals: zoneRefusals,
    async body({ params: { domain, record: recordId } }, { domains, call, scopes }) {
      const domainId = await domainIdOf(domains, domain, call);
      await domains.deleteDnsRecord({ domainId, recordId, onlyTypes: recordTypesOf(scopes) }, call);
    },
  }),
];

/** Operations on whole record sets, for programs that synchronise zones. */
const recordSetOperations = [
  operation({
    id: "getRecordSet",
    scopes: ["read", "dns", "dns:txt"],
    route: "GET /domains/{domain}/dns/rrsets/{name}/{type}",
    summary: "Read a record set",
    request: { params: recordSetPath },
    responses: { 200: recordSet },
    refusals: ["validation-failed"],
    async body({ params: { domain, ...named } }, { domains, call }) {
      const domainId = await domainIdOf(domains, domain, call);
      const { set } = await domains.getRecordSet({ domainId, ...named }, call);
      return recordSetView(present(set, "GetRecordSetResponse.set"));
    },
  }),
  operation({
    id: "replaceRecordSet",
    scopes: ["dns", "dns:txt"],
    route: "PUT /domains/{domain}/dns/rrsets/{name}/{type}",
    summary: "Replace a record set",
    description: "Replaces all records of the name and type in one step. Without `ttl` the TTL is 3600.",
    request: { params: recordSetPath, body: recordSetBody },
    responses: { 200: changedRecordSet },
    message: "Record set replaced",
    refusals: zoneRefusals,
    revisionOf: ({ params }, caller) => domainRevisionOf(params.domain, caller),
    async body({ params: { domain, ...named }, body: { ttl, records } }, { domains, call, scopes }) {
      const domainId = await domainIdOf(domains, domain, call);
      const wanted = { ...named, ttl, records: records.map(content) };
      const request = { domainId, set: wanted, onlyTypes: recordTypesOf(scopes) };
      const { set } = await domains.replaceRecordSet(request, call);
      return recordSetView(present(set, "the changed record set"));
    },
  }),
  operation({
    id: "deleteRecordSet",
    scopes: ["dns", "dns:txt"],
    route: "DELETE /domains/{domain}/dns/rrsets/{name}/{type}",
    summary: "Delete a record set",
    request: { params: recordSetPath },
    responses: { 200: changedRecordSet },
    message: "Record set deleted",
    refusals: ["validation-failed", ...zoneRefusals],
    revisionOf: ({ params }, caller) => domainRevisionOf(params.domain, caller),
    async body({ params: { domain, ...named } }, { domains, call, scopes }) {
      const domainId = await domainIdOf(domains, domain, call);
      const request = { domainId, set: named, onlyTypes: recordTypesOf(scopes) };
      const { set } = await domains.replaceRecordSet(request, call);
      return recordSetView(present(set, "the changed record set"));
    },
  }),
];

export const dnsOperations = [...recordOperations, ...recordSetOperations];
