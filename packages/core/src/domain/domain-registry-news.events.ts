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
    "The registrar gave the domain up, because nobody renewed it in time. For some days it can only be restored.",
    { domainId: id, accountId: id, name: hostname, expiresAt: instant, withheldAt: instant },
  ),
  DomainDeleted: event(
    "The registrar no longer has the domain, because nobody renewed it. The account lost the name, and anybody may register it.",
    { domainId: id, accountId: id, name: hostname, expiresAt: instant, deletedAt: instant },
  ),
  DomainTransferredAway: event(
    "The name moved to another registrar. The account lost the domain, and the service renews nothing of it.",
    {
      ...about,
      /** Null without a poll message: the transfer was in progress, and the registrar reported that the name is gone. */
      messageId: text.nullable(),
      leftAt: instant,
    },
    { firstVersion: 2 },
  ),
  DomainExpiryFollowed: event(
    "The registry renewed the name on its own, so the service took over the new expiry date. Nobody was charged.",
    { ...about, previousExpiresAt: instant, expiresAt: instant, followedAt: instant },
  ),
});
