import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

export const storeReaderNameLimit = 63;

export const storeReaderCategoryLimit = 64;

const name = line(storeReaderNameLimit);

/** Events of readers of the store over EventStoreDB's protocol (stream `storereader-all`). */
export const storeReaderEvents = defineEvents({
  StoreReaderAdded: event(
    "A user was allowed to read the store over EventStoreDB's protocol. Only the hash of the password is stored.",
    {
      name,
      /** Categories of streams, for example `account`; `all` grants every stream. */
      categories: z.array(line(storeReaderNameLimit)).min(1).max(storeReaderCategoryLimit),
      /** Hash of the name, a colon and the password. */
      credentialHash: sha256,
      addedAt: instant,
    },
  ),
  StoreReaderRevoked: event("A user may no longer read the store over EventStoreDB's protocol.", {
    name,
    revokedAt: instant,
  }),
});

export type StoreReaderEvent = EventOf<typeof storeReaderEvents>;

export const storeReaderCodec = eventCodec(storeReaderEvents);
