import { z } from "zod";

import { historyCodec, type EventVersions } from "../../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../../kernel/fields.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";

const at = instantField;
const nameField = z.string().max(253);
const hostsField = z.array(nameField).max(13);
const moment: EventVersions = { schemas: [z.strictObject({ at })] };
const reasoned: EventVersions = { schemas: [z.strictObject({ reason: textField, at })] };
const retried: EventVersions = {
  schemas: [z.strictObject({ reason: textField, nextAttemptAt: instantField, at })],
};

/** The shapes a registration run's events have had, oldest first. */
export const registrationVersions: Readonly<Record<RegistrationEvent["type"], EventVersions>> = {
  RegistrationStarted: {
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
        startedAt: instantField,
      }),
    ],
  },
  RegistrationCharged: {
    schemas: [z.strictObject({ chargeId: textField, invoiceId: idField, grossCents: centsField, at })],
  },
  RegistrationChargeRefused: {
    schemas: [
      z.strictObject({
        code: textField,
        message: textField,
        requiredCents: centsField.nullable(),
        availableCents: centsField.nullable(),
        at,
      }),
    ],
  },
  RegistrarOrderCompleted: {
    schemas: [
      z.strictObject({
        provider: textField,
        registeredAt: instantField,
        expiresAt: instantField,
        nameservers: hostsField,
        whoisPrivacy: z.boolean(),
        transferLock: z.boolean(),
        at,
      }),
    ],
  },
  RegistrarOrderRefused: reasoned,
  RegistrarOutcomeUnknown: {
    schemas: [z.strictObject({ cause: z.enum(["interrupted", "unanswered"]), reason: textField, at })],
  },
  RegistrarInquiryFailed: {
    schemas: [z.strictObject({ reason: textField, nextInquiryAt: instantField, at })],
  },
  RegistrarOrderResumed: moment,
  RegistrationNeverCharged: moment,
  RegistrationChargeReturned: { schemas: [z.strictObject({ correctionId: idField, at })] },
  RegistrationLeftUnsettled: moment,
  RegistrarCancellationDue: { schemas: [z.strictObject({ nextAttemptAt: instantField, at })] },
  RegistrarOrderCancelled: moment,
  RegistrationConfirmed: moment,
  DelegationUnanswered: retried,
  DelegationCompleted: moment,
  DelegationRefused: reasoned,
  DelegationRefusalRecorded: moment,
  ZoneDelivered: moment,
  ZoneAttemptFailed: retried,
  ZoneFailureRecorded: moment,
  RegistrationParked: reasoned,
  RegistrationUnparked: moment,
  RegistrationAbandoned: reasoned,
  RegistrationCompleted: {
    schemas: [z.strictObject({ outcome: z.enum(["delivered", "refused", "refunded"]), at })],
  },
};

/** Reads and names a registration run's events. */
export const registrationCodec = historyCodec<RegistrationEvent>(registrationVersions);
