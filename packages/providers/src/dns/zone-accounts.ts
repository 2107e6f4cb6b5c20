import type { NamedInstallation } from "@hostledger/core";

/** Characters that PowerDNS keeps of an account. */
export const longestAccount = 40;

/** What PowerDNS's `account` of a zone says of whose the zone is. */
export interface ZoneAccounts {
  /** The account of new zones. */
  readonly own: string;
  readonly isOurs: (account: string) => boolean;
  /** A zone without an account is nobody's, and may be taken over. */
  readonly isOfOthers: (account: string) => boolean;
}

/**
 * Tells zones of this installation from others. Those of earlier versions have no random part in their account.
 * @param configured the account of the configuration.
 * @param installation undefined where installations are not told apart.
 */
export function zoneAccounts(configured: string, installation: NamedInstallation | undefined): ZoneAccounts {
  const end = installation === undefined ? "" : `-${installation.part}`;
  const own = end === "" ? configured : configured.slice(0, longestAccount - end.length) + end;
  const isOurs = (account: string): boolean =>
    account === own ||
    (account === configured && installation?.isCopy !== true) ||
    // The random part tells this installation's zones also after the configured account was changed.
    (end !== "" && account.endsWith(end));
  return { own, isOurs, isOfOthers: (account) => account !== "" && !isOurs(account) };
}
