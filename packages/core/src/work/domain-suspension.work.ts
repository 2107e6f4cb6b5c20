import { wantedOffline } from "../desired/domain.desired.ts";
import type { OfflineBy } from "../domain/domain.commands.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";
import type { Next } from "./next.ts";

/** A domain that was suspended once, as the work on its suspension sees it. */
export interface DomainSuspension {
  readonly domain: RegisteredDomain;
  /** What keeps domains on the service's nameservers from resolving. */
  readonly suspendedBy: OfflineBy;
}

/** What is done about a suspension. */
export type DomainSuspensionEffect =
  | { readonly type: "take-offline"; readonly by: OfflineBy }
  | { readonly type: "bring-online" };

/** What keeps a suspended domain from resolving (EPP `clientHold`, RFC 5731 §2.3, or no zone), and lets it resolve again afterwards. */
export function nextOfDomainSuspension({
  domain,
  suspendedBy,
}: DomainSuspension): Next<DomainSuspensionEffect> {
  const by = wantedOffline(domain, suspendedBy);
  if (by === domain.offline) return "done";
  return { do: by === null ? { type: "bring-online" } : { type: "take-offline", by } };
}
