import type { NamedInstallation } from "@hostledger/core";

/** Maximum characters of an account in PowerDNS. */
export const longestAccount = 40;

/** Assigns zones to owners by PowerDNS's `account`. */
export interface ZoneAccounts {
  /** Account of new zones. */
  readonly own: string;
  readonly isOurs: (account: string) => boolean;
  /** Returns true for foreign zones. A zone without an account has no owner and may be taken over. */
  readonly isOfOthers: (account: string) => boolean;
}

/**
 * Distinguishes this installation's zones. Zones of earlier versions have no random part in their account.
 * @param configured account of the configuration.
 * @param installation undefined if installations are not distinguished.
 */
export function zoneAccounts(configured: string, installation: NamedInstallation | undefined): ZoneAccounts {
  const end = installation === undefined ? "" : `-${installation.part}`;
  const own = end === "" ? configured : configured.slice(0, longestAccount - end.length) + end;
  const isOurs = (account: string): boolean =>
    account === own ||
    (account === configured && installation?.isCopy !== true) ||
    // The random part identifies our zones even after the configured account changed.
    (end !== "" && account.endsWith(end));
  return { own, isOurs, isOfOthers: (account) => account !== "" && !isOurs(account) };
}
