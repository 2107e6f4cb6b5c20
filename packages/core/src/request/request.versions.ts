import { z } from "zod";

import { eventCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, textField } from "../kernel/fields.ts";
import { outcomeLimits } from "./request.decider.ts";
import type { RequestEvent } from "./request.events.ts";

const operationId = textField;
const owner = textField;

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
    schemas: [
      z.strictObject({
        operationId,
        status: z.int().min(outcomeLimits.leastStatus).max(outcomeLimits.greatestStatus),
        body: z.string().max(outcomeLimits.bodyBytes),
        answeredAt: instantField,
      }),
    ],
  },
  RequestReleased: { schemas: [z.strictObject({ operationId, releasedAt: instantField })] },
};

/** Reads and names the events of a key. */
export const requestCodec = eventCodec<RequestEvent>(requestVersions);
