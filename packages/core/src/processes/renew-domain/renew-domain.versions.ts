import { z } from "zod";

import { historyCodec, type EventVersions } from "../../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../../kernel/fields.ts";
import { chargeFields, refusalFields } from "../charge-fields.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";

const at = instantField;
const moment: EventVersions = { schemas: [z.strictObject({ at })] };
const reasoned: EventVersions = { schemas: [z.strictObject({ reason: textField, at })] };

/** The shapes a renewal run's events have had, oldest first. */
export const renewalRunVersions: Readonly<Record<RenewalEvent["type"], EventVersions>> = {
  RenewalRunStarted: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        domainId: idField,
        accountId: idField,
        name: z.string().max(253),
        years: z.int().min(1).max(10),
        automatic: z.boolean(),
        expiresAt: instantField,
        yearNetCents: centsField,
        startedAt: instantField,
      }),
    ],
  },
  RenewalCharged: {
    schemas: [z.strictObject({ ...chargeFields, at })],
  },
  RenewalChargeRefused: {
    schemas: [z.strictObject({ ...refusalFields, at })],
  },
  RenewalOrderCompleted: { schemas: [z.strictObject({ expiresAt: instantField, at })] },
  RenewalOrderRefused: reasoned,
  RenewalOutcomeUnknown: {
    schemas: [
      z.strictObject({ cause: z.enum(["interrupted", "unanswered", "rejected"]), reason: textField, at }),
    ],
  },
  RenewalInquiryFailed: {
    schemas: [z.strictObject({ reason: textField, nextInquiryAt: instantField, at })],
  },
  RenewalOrderResumed: moment,
  RenewalNeverCharged: moment,
  RenewalChargeReturned: { schemas: [z.strictObject({ correctionId: idField, at })] },
  RenewalParked: reasoned,
  RenewalUnparked: moment,
  RenewalAbandoned: reasoned,
  RenewalCompleted: { schemas: [z.strictObject({ outcome: z.enum(["renewed", "failed"]), at })] },
};

/** Reads and names a renewal run's events. */
export const renewalRunCodec = historyCodec<RenewalEvent>(renewalRunVersions);
