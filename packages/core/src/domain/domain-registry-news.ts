import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import { noRenewals } from "./domain-renewal.ts";
import type { DomainRegistryCommand } from "./domain.commands.ts";
import type {
  DomainDeleted,
  DomainExpiryFollowed,
  DomainRegistryEvent,
  DomainWithheld,
} from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** What the registry says of a name of ours. Work in progress on it comes to its end first. */
export function decideRegistryNews(
  { type, data }: DomainRegistryCommand,
  { domainId, accountId, name, ...domain }: RegisteredDomain,
): Decision<Exclude<DomainRegistryEvent, DomainDeleted | DomainWithheld>> {
  const { registrar, messageId, at } = data;
  const about = { domainId, accountId, name, registrar, messageId };
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (domain.pendingChange !== null) return reject("change-in-flight");
  switch (type) {
    case "RecordTransferredAway":
      return accept({ type: "DomainTransferredAway", data: { ...about, leftAt: at } });
    case "FollowExpiry": {
      const { expiresAt } = data;
      const previousExpiresAt = domain.expiresAt;
      // Registries compare days. An earlier day would take from the customer what was paid for: a person looks at that.
      if (expiresAt.slice(0, 10) <= previousExpiresAt.slice(0, 10)) return accept();
      if (domain.expired)
        return reject("domain-not-active", "What nobody renewed is not given away because its registry did.");
      const followed = { ...about, previousExpiresAt, expiresAt, followedAt: at };
      return accept({ type: "DomainExpiryFollowed", data: followed });
    }
    default:
      return assertNever(type);
  }
}

/** What the registry's own renewal makes of a domain: what was tried for the old day is over. @throws CorruptStreamError */
export function evolveFollowed(
  state: RegisteredDomain,
  { type, data: { expiresAt } }: DomainExpiryFollowed,
): RegisteredDomain {
  const { ended } = state.renewals;
  if (state.renewal !== null) throw new CorruptStreamError(type, "renewing");
  return { ...state, expiresAt, renewals: { ...noRenewals, ended } };
}
