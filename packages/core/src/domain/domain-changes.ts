import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Decision } from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import {
  differencesMadeBy,
  objectionToRecordChange,
  type RecordChange,
  type RecordDifference,
} from "./dns-zone.ts";
import type { DomainChangeCommand, SetAutoRenewal, StartDomainChange } from "./domain.commands.ts";
import type {
  DomainChange,
  DomainChangeEvent,
  NameserversChanged,
  TransferLockChanged,
  WhoisPrivacyChanged,
  ZoneCreated,
} from "./domain.events.ts";
import { domainStatusOf, settledChange, type PendingChange, type RegisteredDomain } from "./domain.state.ts";

type ChangeEvent = DomainChangeEvent | NameserversChanged | ZoneCreated;

type SettingsChange = Extract<DomainChange, { kind: "settings" }>;
type StepOfChange = Exclude<DomainChangeCommand, { type: "StartDomainChange" | "SetAutoRenewal" }>;

export type RegistrarSetting = "whoisPrivacy" | "transferLock";

/**
 * Rules of changes by the customer. A provider carries out most changes, one at a time: `DomainChangeStarted` is stored
 * before the call, and one or more events record the result. Repeating a command adds nothing.
 *
 * Changes allowed in each status (specification §2.1 only names the statuses):
 *
 *     active        everything
 *     transferring  DNS records, automatic renewal off; the registrar locks everything else (RFC 5731 §3.2.4)
 *     expired       automatic renewal off; providers get no calls until the domain is renewed
 *     suspended     nothing
 */
export function decideChange(command: DomainChangeCommand, state: RegisteredDomain): Decision<ChangeEvent> {
  const { changeId } = command.data;
  if (command.type === "StartDomainChange") return start(command, state);
  if (settledChange(state, changeId) !== undefined) return accept();
  if (command.type === "SetAutoRenewal") return setAutoRenewal(command.data, state);
  const { pendingChange } = state;
  if (pendingChange?.changeId !== changeId)
    return reject("not-found", "There is no such change in progress.");
  return settle(command, state, pendingChange);
}

function start({ data }: StartDomainChange, state: RegisteredDomain): Decision<ChangeEvent> {
  const { changeId, change, at } = data;
  const { domainId, pendingChange } = state;
  if (settledChange(state, changeId) !== undefined) return accept();
  if (pendingChange !== null)
    return pendingChange.changeId === changeId ? accept() : reject("change-in-flight");
  const objection = objectionTo(data, state);
  if (objection !== undefined) return { accepted: false, rejection: objection };
  if (isSoAlready(change, state)) return accept();
  return accept({ type: "DomainChangeStarted", data: { domainId, changeId, change, startedAt: at } });
}

function objectionTo(
  { change, registrationEnded }: StartDomainChange["data"],
  state: RegisteredDomain,
): Rejection | undefined {
  const status = domainStatusOf(state);
  const isOfZone = change.kind !== "nameservers" && change.kind !== "settings";
  if (status !== "active" && !(status === "transferring" && isOfZone)) {
    const message = `The domain is ${status}, which does not allow this change.`;
    return rejection("domain-not-active", message);
  }
  if (isOfZone) return objectionToZoneChange(change, state);
  // The registration's run may still send its own nameservers, which would overwrite this change.
  const isDelegating = state.requestedNameservers !== null && !state.delegationSettled && !registrationEnded;
  return change.kind === "nameservers" && isDelegating ? rejection("change-in-flight") : undefined;
}

function objectionToZoneChange(change: RecordChange, state: RegisteredDomain): Rejection | undefined {
  if (!state.usesServiceNameservers) return rejection("custom-nameservers");
  if (state.zone === null) return rejection("zone-not-ready");
  return objectionToRecordChange(state.zone.records, change);
}

/** Returns true if the domain already has the requested values, so that no provider call is needed. */
function isSoAlready(change: DomainChange, state: RegisteredDomain): boolean {
  switch (change.kind) {
    case "nameservers":
      return (
        change.usesServiceNameservers === state.usesServiceNameservers &&
        sameHosts(change.nameservers, state.nameservers)
      );
    case "settings":
      return openSettings(change, state).length === 0;
    case "add-record":
    case "update-record":
    case "delete-record":
    case "replace-set":
      return state.zone !== null && differencesMadeBy(state.zone.records, change).length === 0;
    default:
      return assertNever(change);
  }
}

/** Returns the settings that still differ from the change. */
export function openSettings(
  change: SettingsChange,
  state: Pick<RegisteredDomain, RegistrarSetting>,
): readonly RegistrarSetting[] {
  return (["whoisPrivacy", "transferLock"] as const).filter(
    (setting) => change[setting] !== null && change[setting] !== state[setting],
  );
}

/** Turns automatic renewal on or off, also during another change, because no provider is called. */
function setAutoRenewal(
  { changeId, autoRenew, at }: SetAutoRenewal["data"],
  { domainId, autoRenew: present, suspended, transferring, expired }: RegisteredDomain,
): Decision<ChangeEvent> {
  if (suspended)
    return reject("domain-not-active", "The domain is suspended, which does not allow this change.");
  if (autoRenew === present) return accept();
  // The renewal would never happen, although its customer would rely on it.
  if (autoRenew && expired) return reject("domain-not-renewable", "The domain has expired: renew it first.");
  if (autoRenew && transferring)
    return reject("domain-not-renewable", "The domain is on its way to another registrar.");
  return accept({ type: "AutoRenewalChanged", data: { domainId, changeId, autoRenew, changedAt: at } });
}

function settle(
  { type, data }: StepOfChange,
  state: RegisteredDomain,
  { change }: PendingChange,
): Decision<ChangeEvent> {
  const { domainId, accountId, name } = state;
  const { changeId, at } = data;
  switch (type) {
    case "RecordChangeZone":
      if (state.zone !== null) return accept();
      return accept({ type: "ZoneCreated", data: { domainId, records: data.records, createdAt: at } });
    case "RecordChangedSetting": {
      const { setting } = data;
      if (change.kind !== "settings" || !openSettings(change, state).includes(setting)) return accept();
      return accept(settingEvent(domainId, setting, change[setting] === true, at));
    }
    case "CompleteDomainChange":
      return accept(...eventsOf(change, state, data), {
        type: "DomainChangeCompleted",
        data: { domainId, changeId, completedAt: at },
      });
    case "FailDomainChange": {
      const { code, reason, by } = data;
      const about = { domainId, accountId, name, changeId };
      return accept({ type: "DomainChangeFailed", data: { ...about, code, reason, by, failedAt: at } });
    }
    default:
      return assertNever(type);
  }
}

/** Returns the events of a change after the provider carried it out. */
function eventsOf(
  change: DomainChange,
  state: RegisteredDomain,
  { changeId, at }: { readonly changeId: string; readonly at: string },
): readonly ChangeEvent[] {
  const { domainId } = state;
  switch (change.kind) {
    case "nameservers": {
      const { usesServiceNameservers, nameservers } = change;
      const data = { domainId, usesServiceNameservers, nameservers, changedAt: at };
      return [{ type: "NameserversChanged", data }];
    }
    case "settings":
      return openSettings(change, state).map((setting) =>
        settingEvent(domainId, setting, change[setting] === true, at),
      );
    case "add-record":
    case "update-record":
    case "delete-record":
    case "replace-set":
      return recordEvents(change, state, { changeId, at });
    default:
      return assertNever(change);
  }
}

/** Returns an event for each altered record, also for records of the set that get the new TTL (RFC 2181 §5.2). */
function recordEvents(
  change: RecordChange,
  { domainId, zone }: RegisteredDomain,
  { changeId, at }: { readonly changeId: string; readonly at: string },
): readonly ChangeEvent[] {
  if (zone === null) return [];
  const changed = { domainId, changeId };
  return differencesMadeBy(zone.records, change).flatMap(
    ({ before, after }: RecordDifference): ChangeEvent[] => {
      if (after === undefined)
        return before === undefined
          ? []
          : [{ type: "DnsRecordDeleted", data: { ...changed, recordId: before.recordId, deletedAt: at } }];
      return before === undefined
        ? [{ type: "DnsRecordAdded", data: { ...changed, record: after, addedAt: at } }]
        : [{ type: "DnsRecordUpdated", data: { ...changed, record: after, updatedAt: at } }];
    },
  );
}

function settingEvent(
  domainId: number,
  setting: RegistrarSetting,
  value: boolean,
  changedAt: string,
): WhoisPrivacyChanged | TransferLockChanged {
  return setting === "whoisPrivacy"
    ? { type: "WhoisPrivacyChanged", data: { domainId, whoisPrivacy: value, changedAt } }
    : { type: "TransferLockChanged", data: { domainId, transferLock: value, changedAt } };
}

function sameHosts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((host, index) => host === right[index]);
}
