import { genericLifeCycle } from "../pricing/extension-life-cycle.ts";
import { addMilliseconds, addYears } from "../calendar/calendar.ts";
import type { DomainRenewalCommand, StartRenewal } from "./domain.commands.ts";
import type { DomainNameEvent } from "./domain.events.ts";
import { samples } from "./domain.fixture.ts";

/** Commands and events of renewals, for specs: example.com, which expires on 1 March 2028. */

const dayMs = 86_400_000;

export const expiresAt = "2028-03-01T10:00:00.000000Z";
/** Time of the first automatic renewal. */
export const aWeekBefore = "2028-02-23T10:00:00.000000Z";
/** Returns an instant a number of days after expiry, or after `from`. */
export const days = (count: number, from = expiresAt): string => addMilliseconds(from, count * dayMs);

export const registered: readonly DomainNameEvent[] = [
  samples.RegistrationReserved,
  samples.DomainRegistered,
];
export const renewing: readonly DomainNameEvent[] = [
  ...registered,
  { type: "AutoRenewalChanged", data: { ...samples.AutoRenewalChanged.data, autoRenew: true } },
];
export const first = "renewal-3-20280301-1";

export const order = (data: Partial<StartRenewal["data"]> = {}): StartRenewal => ({
  type: "StartRenewal",
  data: {
    renewalId: "renewal-op",
    years: 1,
    automatic: false,
    expiresAt,
    yearNetCents: "1200",
    restoration: false,
    lifeCycle: genericLifeCycle,
    at: days(-100),
    ...data,
  },
});
export const automatic = (
  at: string,
  renewalId = first,
  data: Partial<StartRenewal["data"]> = {},
): StartRenewal => order({ renewalId, automatic: true, at, ...data });

export const started = (data: Partial<StartRenewal["data"]> = {}): DomainNameEvent => {
  const { at: startedAt, lifeCycle: _, ...rest } = order(data).data;
  return {
    type: "DomainRenewalStarted",
    data: { domainId: 3, accountId: 7, name: "example.com", ...rest, startedAt },
  };
};
export const failed = (
  renewalId: string,
  failedAt: string,
  isAutomatic = true,
): readonly DomainNameEvent[] => [
  started({ renewalId, automatic: isAutomatic, at: failedAt }),
  {
    type: "DomainRenewalFailed",
    data: { ...samples.DomainRenewalFailed.data, renewalId, automatic: isAutomatic, failedAt },
  },
];
export const renewed = (
  renewalId: string,
  previousExpiresAt = expiresAt,
  years = 1,
): readonly DomainNameEvent[] => [
  started({ renewalId, years, expiresAt: previousExpiresAt }),
  {
    type: "DomainRenewed",
    data: {
      ...samples.DomainRenewed.data,
      renewalId,
      years,
      automatic: false,
      previousExpiresAt,
      expiresAt: addYears(previousExpiresAt, years),
    },
  },
];
export const outcome = { chargeId: "renewal-op", invoiceId: 102, grossCents: "1428" } as const;
export const recordRenewed = (renewalId: string): DomainRenewalCommand => ({
  type: "RecordRenewed",
  data: { ...outcome, renewalId, expiresAt: addYears(expiresAt, 1), at: days(-99) },
});
export const recordFailed = (renewalId: string): DomainRenewalCommand => ({
  type: "RecordRenewalFailed",
  data: { renewalId, reason: "insufficient-balance", requiredCents: "1428", at: days(-99) },
});
export const expire = (at: string): DomainRenewalCommand => ({ type: "ExpireDomain", data: { at } });
