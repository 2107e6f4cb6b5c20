import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { count, flag, id, instant, retained, sha256, text } from "../kernel/fields.ts";

/** Events of a document's files (stream `document-<id of the document>`). */
export const documentEvents = defineEvents({
  DocumentArchived: event(
    "The files of a document were rendered and stored. From now on they are the document, whatever changes in settings or code.",
    {
      documentId: id,
      accountId: id,
      number: text,
      files: z
        .array(
          z.strictObject({
            format: z.enum(["pdf", "xml"]),
            bytes: count,
            /** SHA-256 of the salt's bytes followed by the file's, so that nobody without the salt can test a guess. */
            sha256,
          }),
        )
        .min(1)
        .max(2),
      /** 32 bytes in hexadecimal digits. */
      salt: retained(text),
      /** Last year in which the law keeps the document. */
      keptUntilYear: z.int(),
      /** True if the document was issued before its seller was frozen in it, so the first seller stands on it. */
      isRenderedLater: flag,
      archivedAt: instant,
    },
  ),
});

export type DocumentEvent = EventOf<typeof documentEvents>;

export const documentCodec = eventCodec(documentEvents);
