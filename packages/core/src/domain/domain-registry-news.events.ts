import { defineEvents, event } from "../kernel/event-definition.ts";
import { hostname, id, instant, text } from "../kernel/fields.ts";

const about = {
  domainId: id,
  accountId: id,
  name: hostname,
  /** The registrar of ours whose registry said so, and in which message. */
  registrar: text,
  messageId: text,
};

/** What the registry did with a name of ours by itself, or for another registrar. */
export const domainRegistryEvents = defineEvents({
  DomainTransferredAway: event(
    "Another registrar holds the name: it is the account's no more, and nothing of it is renewed here.",
    { ...about, leftAt: instant },
  ),
  DomainExpiryFollowed: event(
    "The registry renewed the name by itself, and the books follow; nobody was charged.",
    { ...about, previousExpiresAt: instant, expiresAt: instant, followedAt: instant },
  ),
});
