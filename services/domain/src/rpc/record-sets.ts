import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { isSameRecord, parseRecordSet, rejection, type RecordedDnsRecord } from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { domain } from "@hostledger/protocol";
import { rejectionError, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import { changeDomain, ownedDomain, recordSetByEvents, refuseChange } from "./change-domain.ts";
import { refuseOtherType } from "./dns-records.ts";

type Handlers = ServiceImpl<typeof domain.DomainService>;
type RecordSetMessage = MessageInitShape<typeof domain.RecordSetSchema>;
type Read = ReturnType<typeof recordSetOf>;

/** Creates the handlers of whole record sets, for programs that synchronise zones (contract, second part). */
export function recordSetHandlers(
  dependencies: DomainDependencies,
): Pick<Handlers, "getRecordSet" | "replaceRecordSet"> {
  const { queries, recordIds } = dependencies;

  return {
    async getRecordSet({ domainId, type, name }, context) {
      const row = await ownedDomain(dependencies, domainId, context);
      const wanted = recordSetOf({ type, name }, row.domain_name);
      const records = (await queries.recordsOf(row.id)).filter(
        (record) => record.type === wanted.type && record.name === wanted.name,
      );
      const [first] = records;
      if (first === undefined) throw rejectionError(rejection("not-found", "There is no such record set."));
      return { set: setMessage({ ...wanted, ttlSeconds: first.ttl_seconds, records }) };
    },

    async replaceRecordSet({ domainId, set: asked, onlyTypes }, context) {
      const row = await ownedDomain(dependencies, domainId, context);
      const set = recordSetOf(asked ?? {}, row.domain_name);
      const { type, name, ttlSeconds } = set;
      refuseOtherType(type, onlyTypes);
      const held = await recordSetByEvents(dependencies, row, set);
      const recordsWith = async (nextId: () => Promise<number>): Promise<RecordedDnsRecord[]> => {
        const records: RecordedDnsRecord[] = [];
        for (const { value, priority } of set.records) {
          // An unchanged record keeps its id.
          const kept = held.find((record) => isSameRecord(record, { type, value, priority }));
          const recordId = kept?.recordId ?? (await nextId());
          records.push({ recordId, type, name, value, ttlSeconds, priority });
        }
        return records;
      };
      let unused = unusedId;
      const unnumbered = await recordsWith(() => Promise.resolve((unused -= 1)));
      const replaced = { kind: "replace-set", type, name } as const;
      await refuseChange(dependencies, row, { ...replaced, records: unnumbered }, context);
      const records = await recordsWith(() => recordIds.next());
      await changeDomain(dependencies, row, { ...replaced, records }, context);
      return { set: setMessage(set) };
    },
  };
}

/** Parses a record set. @throws ConnectError `validation-failed` naming every invalid field. */
function recordSetOf({ type = "", name = "", ttl, records = [] }: RecordSetMessage, zone: string) {
  const members = records.map(({ value = "", priority }) => ({ value, priority }));
  const { ttl: ttlSeconds, ...set } = validated({
    ...parseRecordSet({ type, name, records: members, ...defined({ ttl }) }, zone),
  });
  return { ...set, ttlSeconds };
}

function setMessage({ type, name, ttlSeconds: ttl, records }: Read): RecordSetMessage {
  const members = records.map(({ value, priority }) => ({
    value,
    ...defined({ priority: priority ?? undefined }),
  }));
  return { type, name, ttl, records: members };
}
