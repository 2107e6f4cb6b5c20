import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, personalField, textField } from "../kernel/fields.ts";
import { outcomeLimits } from "./request.decider.ts";
import type { RequestEvent } from "./request.events.ts";

const operationId = textField;
const owner = textField;

/** v1 did not say whose request it was. */
const answeredV1 = z.strictObject({
  operationId,
  status: z.int().min(outcomeLimits.leastStatus).max(outcomeLimits.greatestStatus),
  body: personalField(outcomeLimits.bodyBytes),
  answeredAt: instantField,
});

/** The shapes the events of a key have had, oldest first. */
export const requestVersions: Readonly<Record<RequestEvent["type"], EventVersions>> = {
  RequestBegun: {
    schemas: [
      z.strictObject({
        accountId: idField,
        fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
        operationId,
        owner,
        begunAt: instantField,
      }),
    ],
  },
  RequestTakenOver: { schemas: [z.strictObject({ operationId, owner, takenOverAt: instantField })] },
  RequestAnswered: {
    schemas: [answeredV1, answeredV1.extend({ accountId: idField.nullable() })],
    upcasters: [(data: z.infer<typeof answeredV1>) => ({ ...data, accountId: null })],
  },
  RequestReleased: { schemas: [z.strictObject({ operationId, releasedAt: instantField })] },
};

/** Reads and names the events of a key. */
export const requestCodec = historyCodec<RequestEvent>(requestVersions);
