import { z } from "zod";

import { historyCodec, type EventVersions } from "../../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../../kernel/fields.ts";
import { chargeFields, refusalFields } from "../charge-fields.ts";
import type { ServerRenewalEvent } from "./renew-server.events.ts";

const at = instantField;
const moment: EventVersions = { schemas: [z.strictObject({ at })] };
const reasoned: EventVersions = { schemas: [z.strictObject({ reason: textField, at })] };
const percentField = z.int().min(0).max(100);

/** The shapes the events of a renewal's run have had, oldest first. */
export const serverRenewalVersions: Readonly<Record<ServerRenewalEvent["type"], EventVersions>> = {
  ServerRenewalStarted: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        serverId: idField,
        accountId: idField,
        planId: idField,
        planTitle: textField,
        months: z.int().min(1).max(12),
        monthGrossCents: centsField,
        discountPercent: percentField,
        surchargePercent: percentField,
        grossCents: centsField,
        startedAt: instantField,
      }),
    ],
  },
  ServerRenewalCharged: { schemas: [z.strictObject({ ...chargeFields, at })] },
  ServerRenewalChargeRefused: { schemas: [z.strictObject({ ...refusalFields, at })] },
  ServerRenewalRecorded: {
    schemas: [z.strictObject({ ...chargeFields, wasSuspended: z.boolean(), expiresAt: instantField, at })],
  },
  ServerRenewalNotRecorded: {
    schemas: [z.strictObject({ code: textField.nullable(), message: textField, at })],
  },
  ServerRenewalNeverCharged: moment,
  ServerRenewalChargeReturned: { schemas: [z.strictObject({ correctionId: idField, at })] },
  ServerResumptionFailed: {
    schemas: [z.strictObject({ reason: textField, nextAttemptAt: instantField, at })],
  },
  ServerRenewalParked: reasoned,
  ServerRenewalUnparked: moment,
  ServerRenewalAbandoned: reasoned,
  ServerRenewalCompleted: {
    schemas: [z.strictObject({ outcome: z.enum(["renewed", "refused", "refunded"]), at })],
  },
};

/** Reads and names the events of a renewal's run. */
export const serverRenewalCodec = historyCodec<ServerRenewalEvent>(serverRenewalVersions);
