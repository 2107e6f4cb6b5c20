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

/** How a name ceases to be an account's, and what its registry does with it by itself. */
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
      /** Null where no message said so: it was on its way there, and the registrar, when it was asked, held it no more. */
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
