import { z } from "zod";

import { eventCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField } from "../kernel/fields.ts";
import type { SequenceEvent } from "./sequence.events.ts";

/** The shapes a sequence's events have had. */
export const sequenceVersions: Readonly<Record<SequenceEvent["type"], EventVersions>> = {
  IdBlockReserved: { schemas: [z.strictObject({ first: idField, last: idField })] },
};

/** Reads and names a sequence's events. */
export const sequenceCodec = eventCodec<SequenceEvent>(sequenceVersions);
