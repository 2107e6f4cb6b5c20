import { wantedOffline } from "../desired/domain.desired.ts";
import type { OfflineBy } from "../domain/domain.commands.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";
import type { Next } from "./next.ts";

export interface DomainSuspension {
  readonly domain: RegisteredDomain;
  /** The way in which domains on the service's nameservers are taken offline. */
  readonly suspendedBy: OfflineBy;
}

export type DomainSuspensionEffect =
  | { readonly type: "take-offline"; readonly by: OfflineBy }
  | { readonly type: "bring-online" };

/** Decides whether a domain must be taken offline (EPP `clientHold`, RFC 5731 §2.3, or no zone) or brought online again. */
export function nextOfDomainSuspension({
  domain,
  suspendedBy,
}: DomainSuspension): Next<DomainSuspensionEffect> {
  const by = wantedOffline(domain, suspendedBy);
  if (by === domain.offline) return "done";
  return { do: by === null ? { type: "bring-online" } : { type: "take-offline", by } };
}
