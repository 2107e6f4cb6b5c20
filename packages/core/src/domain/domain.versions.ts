import { z } from "zod";

import { eventCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";
import type { DomainNameEvent } from "./domain.events.ts";

const nameField = z.string().max(253);
const hostsField = z.array(nameField).max(13);
const ttlField = z.int().min(60).max(86_400);
const priorityField = z.int().min(0).max(65_535);

/** The shapes a name's events have had, oldest first. */
export const domainVersions: Readonly<Record<DomainNameEvent["type"], EventVersions>> = {
  RegistrationReserved: {
    schemas: [
      z.strictObject({
        registrationId: textField,
        domainId: idField,
        accountId: idField,
        name: nameField,
        years: z.int().min(1).max(10),
        autoRenew: z.boolean(),
        nameservers: hostsField.nullable(),
        yearNetCents: centsField,
        reservedAt: instantField,
      }),
    ],
  },
  RegistrationReleased: {
    schemas: [
      z.strictObject({
        registrationId: textField,
        reason: z.enum([
          "charge-refused",
          "order-refused",
          "order-not-carried-out",
          "order-cancelled",
          "abandoned",
        ]),
        releasedAt: instantField,
      }),
    ],
  },
  RegistrationHeld: { schemas: [z.strictObject({ registrationId: textField, heldAt: instantField })] },
  DomainRegistered: {
    schemas: [
      z.strictObject({
        registrationId: textField,
        domainId: idField,
        accountId: idField,
        name: nameField,
        provider: textField,
        years: z.int().min(1).max(10),
        autoRenew: z.boolean(),
        whoisPrivacy: z.boolean(),
        transferLock: z.boolean(),
        nameservers: hostsField,
        chargeId: textField,
        invoiceId: idField,
        grossCents: centsField,
        registeredAt: instantField,
        expiresAt: instantField,
      }),
    ],
  },
  ZoneCreated: {
    schemas: [
      z.strictObject({
        domainId: idField,
        records: z
          .array(
            z.strictObject({
              recordId: idField,
              type: z.enum(["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"]),
              name: z.string().max(255),
              value: z.string().max(1_000),
              ttlSeconds: ttlField,
              priority: priorityField.nullable(),
            }),
          )
          .max(1_000),
        createdAt: instantField,
      }),
    ],
  },
  ZoneCreationFailed: {
    schemas: [
      z.strictObject({
        domainId: idField,
        accountId: idField,
        name: nameField,
        reason: textField,
        failedAt: instantField,
      }),
    ],
  },
  NameserversChanged: {
    schemas: [
      z.strictObject({
        domainId: idField,
        usesServiceNameservers: z.boolean(),
        nameservers: hostsField,
        changedAt: instantField,
      }),
    ],
  },
  NameserversRefused: {
    schemas: [
      z.strictObject({
        domainId: idField,
        requested: hostsField,
        reason: textField,
        refusedAt: instantField,
      }),
    ],
  },
};

/** Reads and names a name's events. */
export const domainCodec = eventCodec<DomainNameEvent>(domainVersions);
