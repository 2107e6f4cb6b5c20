import type { DomainRegistryCommand } from "./domain.commands.ts";
import type { DomainRegistryEvent } from "./domain.events.ts";

/** Examples of poll messages about domain 3, for specs. */

const at = "2026-05-01T10:00:00.000000Z";
const message = { registrar: "Registry", messageId: "12345" };
const about = { domainId: 3, accountId: 7, name: "example.com", ...message };
const previousExpiresAt = "2028-03-01T10:00:00.000000Z";
const expiresAt = "2029-03-01T10:00:00.000000Z";

export const registryCommands = {
  RecordTransferredAway: { type: "RecordTransferredAway", data: { ...message, at } },
  FollowExpiry: { type: "FollowExpiry", data: { ...message, expiresAt, at } },
} as const satisfies Readonly<Record<DomainRegistryCommand["type"], DomainRegistryCommand>>;

export const registryEvents = {
  DomainWithheld: {
    type: "DomainWithheld",
    data: {
      domainId: 3,
      accountId: 7,
      name: "example.com",
      expiresAt: previousExpiresAt,
      withheldAt: "2028-04-15T10:00:01.000000Z",
    },
  },
  DomainDeleted: {
    type: "DomainDeleted",
    data: {
      domainId: 3,
      accountId: 7,
      name: "example.com",
      expiresAt: previousExpiresAt,
      deletedAt: "2028-05-20T10:00:00.000000Z",
    },
  },
  DomainTransferredAway: { type: "DomainTransferredAway", data: { ...about, leftAt: at } },
  DomainExpiryFollowed: {
    type: "DomainExpiryFollowed",
    data: { ...about, previousExpiresAt, expiresAt, followedAt: at },
  },
} as const satisfies Readonly<Record<DomainRegistryEvent["type"], DomainRegistryEvent>>;
