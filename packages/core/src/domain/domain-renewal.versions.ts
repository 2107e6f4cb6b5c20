import { z } from "zod";

import type { EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";
import type { DomainRenewalEvent } from "./domain.events.ts";

const nameField = z.string().max(253);
const yearsField = z.int().min(1).max(10);

/** The shapes that the events of renewals have had, oldest first. */
export const renewalVersions: Readonly<Record<DomainRenewalEvent["type"], EventVersions>> = {
  DomainRenewalStarted: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        domainId: idField,
        accountId: idField,
        name: nameField,
        years: yearsField,
        automatic: z.boolean(),
        expiresAt: instantField,
        yearNetCents: centsField,
        startedAt: instantField,
      }),
    ],
  },
  DomainRenewed: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        domainId: idField,
        accountId: idField,
        years: yearsField,
        automatic: z.boolean(),
        chargeId: textField,
        invoiceId: idField,
        grossCents: centsField,
        previousExpiresAt: instantField,
        expiresAt: instantField,
        renewedAt: instantField,
      }),
    ],
  },
  DomainRenewalFailed: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        domainId: idField,
        accountId: idField,
        name: nameField,
        automatic: z.boolean(),
        reason: z.enum(["insufficient-balance", "charge-refused", "registrar-failed", "abandoned"]),
        expiresAt: instantField,
        requiredCents: centsField.nullable(),
        failedAt: instantField,
      }),
    ],
  },
  DomainExpired: {
    schemas: [
      z.strictObject({
        domainId: idField,
        accountId: idField,
        name: nameField,
        expiresAt: instantField,
        expiredAt: instantField,
      }),
    ],
  },
};
