import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  domainAggregate,
  parseDnsRecord,
  parseDomainName,
  rejection,
  type DomainChange,
  type RecordedDnsRecord,
} from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { domain } from "@hostledger/protocol";
import { rejectionError, rejectionOf, requireAccount, validated } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { changeDomain, ownedDomain, recordSetByEvents, refuseChange } from "./change-domain.ts";

type Handlers = ServiceImpl<typeof domain.DomainService>;

/** TTL in seconds; short because certificate authorities check at once and values change soon. */
const ttlSeconds = 60;

/** Maximum labels of a zone that are tried; extensions have one or two. */
const longestZoneLabels = 8;

interface TxtValue {
  readonly row: DomainRow;
  /** Name relative to the zone. */
  readonly name: string;
  readonly value: string;
}

/** Creates the handlers of single TXT values for ACME clients, addressed by full name and safe to repeat. */
export function txtValueHandlers(
  dependencies: DomainDependencies,
): Pick<Handlers, "addTxtValue" | "removeTxtValue"> {
  const { recordIds } = dependencies;
  const recordsAt = ({ row, name }: TxtValue) => recordSetByEvents(dependencies, row, { type: "TXT", name });

  /** Carries out a change; a refusal is ignored if another request has had the desired effect. */
  async function change(
    txt: TxtValue,
    changeOf: () => Promise<DomainChange>,
    isSo: () => Promise<boolean>,
    context: HandlerContext,
  ) {
    try {
      await changeDomain(dependencies, txt.row, await changeOf(), context);
    } catch (error) {
      const { code } = rejectionOf(error);
      if ((code === "validation-failed" || code === "not-found") && (await isSo())) return;
      throw error;
    }
  }

  return {
    async addTxtValue(request, context) {
      const txt = await txtValueOf(dependencies, request, context);
      const held = await recordsAt(txt);
      const isSo = async (): Promise<boolean> =>
        (await recordsAt(txt)).some(({ value }) => value === txt.value);
      if (held.some(({ value }) => value === txt.value)) return {};
      const { name, value } = txt;
      const unnumbered: RecordedDnsRecord = {
        recordId: unusedId,
        type: "TXT",
        name,
        value,
        // All records of a set share a TTL, so existing values decide.
        ttlSeconds: held[0]?.ttlSeconds ?? ttlSeconds,
        priority: null,
      };
      const addition = async (): Promise<DomainChange> => {
        await refuseChange(dependencies, txt.row, { kind: "add-record", record: unnumbered }, context);
        return { kind: "add-record", record: { ...unnumbered, recordId: await recordIds.next() } };
      };
      await change(txt, addition, isSo, context);
      return {};
    },

    async removeTxtValue(request, context) {
      const txt = await txtValueOf(dependencies, request, context);
      const isGone = async (): Promise<boolean> =>
        (await recordsAt(txt)).every(({ value }) => value !== txt.value);
      for (const { recordId, value } of await recordsAt(txt))
        if (value === txt.value)
          await change(txt, () => Promise.resolve({ kind: "delete-record", recordId }), isGone, context);
      return {};
    },
  };
}

/** Finds a name's zone among the caller's domains by longest suffix. @throws ConnectError `not-found` */
async function txtValueOf(
  dependencies: DomainDependencies,
  { fqdn, value }: { readonly fqdn: string; readonly value: string },
  context: HandlerContext,
): Promise<TxtValue> {
  const { accountId } = requireAccount(context);
  const labels = fqdn.toLowerCase().replace(/\.$/, "").split(".");
  for (let length = Math.min(labels.length, longestZoneLabels); length >= 2; length -= 1) {
    const zone = parseDomainName(labels.slice(-length).join("."));
    if (!zone.ok) continue;
    const { state } = await dependencies.commands.load(domainAggregate, zone.value.name);
    if (state.status !== "registered" || state.domain.accountId !== accountId) continue;
    const name = labels.slice(0, -length).join(".") || "@";
    const fields = validated({ ...parseDnsRecord({ type: "TXT", name, value }, zone.value.name) });
    const row = await ownedDomain(dependencies, BigInt(state.domain.domainId), context);
    return { row, name: fields.name, value: fields.value };
  }
  throw rejectionError(rejection("not-found", "The account has no domain in which this name could be."));
}
