import { assertNever } from "../kernel/assert-never.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import type { DomainChangeCompleted, DomainChangeEvent, DomainChangeFailed } from "./domain.events.ts";
import {
  rememberedChanges,
  type RegisteredDomain,
  type SettledChange,
  type ZoneRecords,
} from "./domain.state.ts";

/** Applies a change's event to a domain. @throws CorruptStreamError if the event cannot follow the state. */
export function evolveChange(state: RegisteredDomain, event: DomainChangeEvent): RegisteredDomain {
  switch (event.type) {
    case "DomainChangeStarted": {
      if (state.pendingChange !== null) throw new CorruptStreamError(event.type, "changing");
      const { changeId, change, startedAt } = event.data;
      return { ...state, pendingChange: { changeId, change, startedAt } };
    }
    case "DomainChangeCompleted":
    case "DomainChangeFailed":
      return evolveEnd(state, event);
    case "DnsRecordAdded":
      return withRecords(state, event, (records) =>
        records.set(event.data.record.recordId, event.data.record),
      );
    case "DnsRecordUpdated":
      return withRecords(state, event, (records) =>
        records.set(event.data.record.recordId, event.data.record),
      );
    case "DnsRecordDeleted":
      return withRecords(state, event, (records) => records.delete(event.data.recordId));
    case "AutoRenewalChanged": {
      const { changeId, autoRenew } = event.data;
      return remember({ ...state, autoRenew }, { changeId, change: null, outcome: "done" });
    }
    case "WhoisPrivacyChanged":
      return { ...state, whoisPrivacy: event.data.whoisPrivacy };
    case "TransferLockChanged":
      return { ...state, transferLock: event.data.transferLock };
    default:
      return assertNever(event);
  }
}

function evolveEnd(
  state: RegisteredDomain,
  { type, data }: DomainChangeCompleted | DomainChangeFailed,
): RegisteredDomain {
  const { pendingChange } = state;
  if (pendingChange?.changeId !== data.changeId) throw new CorruptStreamError(type, "not changing");
  const { changeId, change } = pendingChange;
  const ended = { ...state, pendingChange: null };
  if (type === "DomainChangeCompleted") return remember(ended, { changeId, change, outcome: "done" });
  const { code, reason } = data;
  return remember(ended, { changeId, change, outcome: "failed", code, reason });
}

function withRecords(
  state: RegisteredDomain,
  { type }: DomainChangeEvent,
  change: (records: ZoneRecords) => ZoneRecords,
): RegisteredDomain {
  if (state.zone === null) throw new CorruptStreamError(type, "without a zone");
  return { ...state, zone: { records: change(state.zone.records) } };
}

function remember(state: RegisteredDomain, settled: SettledChange): RegisteredDomain {
  return { ...state, settledChanges: state.settledChanges.push(settled).takeLast(rememberedChanges) };
}
