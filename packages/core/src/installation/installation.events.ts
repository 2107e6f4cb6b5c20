import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { flag, instant } from "../kernel/fields.ts";

/** A lower-case letter, then letters and digits. */
const part = z.string().regex(/^[a-z][a-z0-9]{5}$/);

/** Events that give an installation its identity at providers (stream `installation-all`). */
export const installationEvents = defineEvents({
  InstallationNamed: event(
    "The installation chose a random text that is part of each of its identifiers at providers.",
    {
      part,
      /** True if an earlier version may have made order ids without a random part. */
      hadOrders: flag,
      namedAt: instant,
    },
  ),
  InstallationCopied: event(
    "A restore made a test copy with a random text of its own. The copy therefore claims no objects of the original at providers.",
    { part, copiedAt: instant },
  ),
});

export type InstallationEvent = EventOf<typeof installationEvents>;

export const installationCodec = eventCodec(installationEvents);
