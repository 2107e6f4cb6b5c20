import {
  accountVersions,
  domainVersions,
  eventCodec,
  type AccountEvent,
  type DomainNameEvent,
} from "@hostledger/core";

/** What the account service's read models hear: its own facts, and those of domains (what was delivered). */
export type AccountLogEvent = AccountEvent | DomainNameEvent;

/** The streams in which these facts are. */
export const accountLogPrefixes = ["account-", "domain-"] as const;

/** Reads these facts. */
export const accountLogCodec = eventCodec<AccountLogEvent>({ ...accountVersions, ...domainVersions });

/** The number in a stream's name, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
