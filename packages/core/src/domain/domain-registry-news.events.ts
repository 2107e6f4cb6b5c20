import { defineEvents, event } from "../kernel/event-definition.ts";
import { hostname, id, instant, text } from "../kernel/fields.ts";

const about = {
  domainId: id,
  accountId: id,
  name: hostname,
  /** Our registrar at that registry, and the id of the poll message. */
  registrar: text,
  messageId: text,
};

/** Events of expiry, deletion and changes by the registry. */
export const domainRegistryEvents = defineEvents({
  DomainWithheld: event(
    "Nobody renewed the name in time, and its registrar gave it up: for a while it can only be restored.",
    { domainId: id, accountId: id, name: hostname, expiresAt: instant, withheldAt: instant },
  ),
  DomainDeleted: event(
    "Nobody renewed the name, and its registrar does not hold it any more: it is the account's no more, and anybody may register it.",
    { domainId: id, accountId: id, name: hostname, expiresAt: instant, deletedAt: instant },
  ),
  DomainTransferredAway: event(
    "Another registrar holds the name: it is the account's no more, and nothing of it is renewed here.",
    {
      ...about,
      /** Null without a poll message: the transfer was in progress, and the registrar reported that the name is gone. */
      messageId: text.nullable(),
      leftAt: instant,
    },
    { firstVersion: 2 },
  ),
  DomainExpiryFollowed: event(
    "The registry renewed the name by itself, and the books follow; nobody was charged.",
    { ...about, previousExpiresAt: instant, expiresAt: instant, followedAt: instant },
  ),
});
