import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, sha256 } from "../kernel/fields.ts";

/** Of a user's name, in characters. */
export const storeReaderNameLimit = 63;

/** Of the categories that one reader is given. */
export const storeReaderCategoryLimit = 64;

const name = line(storeReaderNameLimit);

/** What happens to those who read the store over EventStoreDB's protocol (stream `storereader-all`). */
export const storeReaderEvents = defineEvents({
  StoreReaderAdded: event(
    "A user may read the store over EventStoreDB's protocol; only the hash of the password is kept.",
    {
      name,
      /** Categories of streams, for example `account`; the one word `all` means every stream. */
      categories: z.array(line(storeReaderNameLimit)).min(1).max(storeReaderCategoryLimit),
      /** Of the name, a colon and the password. */
      credentialHash: sha256,
      addedAt: instant,
    },
  ),
  StoreReaderRevoked: event("A user may read the store no more.", { name, revokedAt: instant }),
});

/** One of these. */
export type StoreReaderEvent = EventOf<typeof storeReaderEvents>;

/** Reads and names the facts about readers of the store. */
export const storeReaderCodec = eventCodec(storeReaderEvents);
