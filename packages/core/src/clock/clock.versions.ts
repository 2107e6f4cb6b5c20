import { z } from "zod";

import { eventCodec, type EventVersions } from "../kernel/event-codec.ts";
import { instantField, textField } from "../kernel/fields.ts";
import type { ClockEvent } from "./clock.events.ts";

/** The shapes that facts about clocks have had. */
export const clockVersions: Readonly<Record<ClockEvent["type"], EventVersions>> = {
  ClockJumpNoticed: {
    schemas: [
      z.strictObject({
        jumpId: textField,
        direction: z.enum(["behind", "ahead"]),
        expectedAt: instantField,
        clockAt: instantField,
      }),
    ],
  },
  ClockAccepted: {
    schemas: [z.strictObject({ jumpIds: z.array(textField).min(1), acceptedAt: instantField })],
  },
};

/** Reads and names the facts about clocks. */
export const clockCodec = eventCodec<ClockEvent>(clockVersions);
