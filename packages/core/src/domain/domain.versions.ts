import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";
import { changeVersions, hostsField, nameField, recordField } from "./domain-changes.versions.ts";
import { renewalVersions } from "./domain-renewal.versions.ts";
import { statusVersions } from "./domain-status.versions.ts";
import type { DomainNameEvent } from "./domain.events.ts";

/** The shapes a name's events have had, oldest first. */
export const domainVersions: Readonly<Record<DomainNameEvent["type"], EventVersions>> = {
  ...changeVersions,
  ...renewalVersions,
  ...statusVersions,
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
        records: z.array(recordField).max(1_000),
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
export const domainCodec = historyCodec<DomainNameEvent>(domainVersions);
