import { z } from "zod";

import { historyCodec, type EventVersions } from "../../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../../kernel/fields.ts";
import { chargeFields, refusalFields } from "../charge-fields.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";

const at = instantField;
const moment: EventVersions = { schemas: [z.strictObject({ at })] };
const reasoned: EventVersions = { schemas: [z.strictObject({ reason: textField, at })] };

/** The shapes the events of an order's run have had, oldest first. */
export const serverOrderVersions: Readonly<Record<ServerOrderEvent["type"], EventVersions>> = {
  ServerOrderStarted: {
    schemas: [
      z.strictObject({
        orderId: textField,
        serverId: idField,
        accountId: idField,
        planId: idField,
        planTitle: textField,
        cores: z.int().positive(),
        memoryGb: z.int().positive(),
        storageGb: z.int().positive(),
        regionId: idField,
        regionCode: textField,
        distroId: idField,
        distro: textField,
        months: z.int().min(1).max(120),
        whitelisted: z.boolean(),
        sshKey: z.string().max(8_192).nullable(),
        monthGrossCents: centsField,
        grossCents: centsField.nullable(),
        startedAt: instantField,
      }),
    ],
  },
  ServerOrderUnitTaken: moment,
  ServerOrderRefused: { schemas: [z.strictObject({ ...refusalFields, at })] },
  ServerOrderPlaced: moment,
  ServerOrderCharged: { schemas: [z.strictObject({ ...chargeFields, at })] },
  ComputeOrderCompleted: {
    schemas: [
      z.strictObject({ node: textField, ipAddress: z.string().max(64), rdns: z.string().max(255), at }),
    ],
  },
  ComputeOrderRefused: reasoned,
  ComputeOutcomeUnknown: {
    schemas: [z.strictObject({ cause: z.enum(["interrupted", "unanswered"]), reason: textField, at })],
  },
  ComputeInquiryFailed: {
    schemas: [z.strictObject({ reason: textField, nextInquiryAt: instantField, at })],
  },
  ComputeOrderResumed: moment,
  ServerOrderFailureRecorded: moment,
  ServerOrderNeverCharged: moment,
  ServerOrderChargeReturned: { schemas: [z.strictObject({ correctionId: idField, at })] },
  ComputeDestructionDue: { schemas: [z.strictObject({ nextAttemptAt: instantField, at })] },
  ComputeServerDestroyed: moment,
  ServerOrderParked: reasoned,
  ServerOrderUnparked: moment,
  ServerOrderAbandoned: reasoned,
  ServerOrderCompleted: {
    schemas: [z.strictObject({ outcome: z.enum(["provisioned", "refused", "failed"]), at })],
  },
};

/** Reads and names the events of an order's run. */
export const serverOrderCodec = historyCodec<ServerOrderEvent>(serverOrderVersions);
