import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { domainAggregate, parseDnsRecord, rejection, type RecordedDnsRecord } from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { domain } from "@hostledger/protocol";
import { rejectionError, requestedId, validated } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import {
  changeDomain,
  ownedDomain,
  recordSetByEvents,
  recordsByEvents,
  refuseChange,
} from "./change-domain.ts";
import { recordMessage } from "./domain.message.ts";

type Handlers = ServiceImpl<typeof domain.DomainService>;

/** Creates the handlers of DNS records in a managed zone (specification §4.5; contract, "DNS rules"). */
export function dnsRecordHandlers(
  dependencies: DomainDependencies,
): Pick<Handlers, "addDnsRecord" | "updateDnsRecord" | "deleteDnsRecord"> {
  const { clock, commands, readAfter, recordIds } = dependencies;

  /** Returns the record as the request left it, even if changed or removed since. */
  async function answerWith({ domain_name: zone }: DomainRow, record: RecordedDnsRecord) {
    const { recordId, type, name, value, ttlSeconds, priority } = record;
    const done = await commands.load(domainAggregate, zone);
    const row = await readAfter(done, `domain-${zone}`, (queries) => queries.recordById(recordId));
    return {
      record: recordMessage({
        id: recordId,
        type,
        name,
        value,
        ttl_seconds: ttlSeconds,
        priority,
        created_at: row?.created_at ?? clock.now(),
      }),
    };
  }

  /** Refuses to touch an existing record of a forbidden type. @throws ConnectError `missing-scope` */
  async function refuseOtherTypes(
    row: DomainRow,
    recordId: number,
    onlyTypes: readonly string[],
  ): Promise<void> {
    if (onlyTypes.length === 0) return;
    const records = await recordsByEvents(dependencies, row);
    refuseOtherType(records.find((record) => record.recordId === recordId)?.type, onlyTypes);
  }

  return {
    async addDnsRecord(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const content = contentOf(request.content, row.domain_name);
      refuseOtherType(content.type, request.onlyTypes);
      const ttlSeconds = await ttlIn(dependencies, row, content, request.content?.ttl);
      const unnumbered = { recordId: unusedId, ...content, ttlSeconds };
      await refuseChange(dependencies, row, { kind: "add-record", record: unnumbered }, context);
      const record = { ...unnumbered, recordId: await recordIds.next() };
      const { settled } = await changeDomain(dependencies, row, { kind: "add-record", record }, context);
      // A repeat returns the first run's record with its id.
      return answerWith(row, settled?.change?.kind === "add-record" ? settled.change.record : record);
    },

    async updateDnsRecord(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const recordId = requestedId("DNS record", request.recordId);
      const content = contentOf(request.content, row.domain_name);
      const ttlSeconds = await ttlIn(dependencies, row, content, request.content?.ttl, recordId);
      const record = { recordId, ...content, ttlSeconds };
      refuseOtherType(record.type, request.onlyTypes);
      await refuseOtherTypes(row, record.recordId, request.onlyTypes);
      await changeDomain(dependencies, row, { kind: "update-record", record }, context);
      return answerWith(row, record);
    },

    async deleteDnsRecord(request, context) {
      const row = await ownedDomain(dependencies, request.domainId, context);
      const recordId = requestedId("DNS record", request.recordId);
      await refuseOtherTypes(row, recordId, request.onlyTypes);
      await changeDomain(dependencies, row, { kind: "delete-record", recordId }, context);
      return {};
    },
  };
}

/** @throws ConnectError `missing-scope` if the caller may not write records of this type. */
export function refuseOtherType(type: string | undefined, onlyTypes: readonly string[]): void {
  if (type === undefined || onlyTypes.length === 0 || onlyTypes.includes(type)) return;
  const sentence = `The API key may write ${onlyTypes.join(", ")} records only; for ${type} it lacks the scope dns.`;
  throw rejectionError(rejection("missing-scope", sentence, { scope: "dns" }));
}

/** Parses a record. @throws ConnectError `validation-failed` naming every invalid field. */
function contentOf(
  content: MessageInitShape<typeof domain.DnsRecordContentSchema> | undefined,
  zone: string,
): Omit<RecordedDnsRecord, "recordId"> {
  const { type = "", name = "", value = "", ttl, priority } = content ?? {};
  const { ttl: ttlSeconds, ...fields } = validated({
    ...parseDnsRecord({ type, name, value, ttl, priority }, zone),
  });
  return { ...fields, ttlSeconds };
}

async function ttlIn(
  dependencies: DomainDependencies,
  row: DomainRow,
  content: Omit<RecordedDnsRecord, "recordId">,
  asked: number | undefined,
  recordId?: number,
): Promise<number> {
  if (asked !== undefined) return content.ttlSeconds;
  const others = await recordSetByEvents(dependencies, row, content);
  return others.find((other) => other.recordId !== recordId)?.ttlSeconds ?? content.ttlSeconds;
}
