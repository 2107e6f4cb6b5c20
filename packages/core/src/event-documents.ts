import { z } from "zod";

import { hostingEvents } from "./hosting-events.ts";
import { storedTypeOf } from "./kernel/event-definition.ts";

/**
 * The JSON Schema (draft 2020-12) of every stored event type and version, with the sentence that says what has happened,
 * for readers that are not this project.
 * @returns file name under `docs/reference/events/`, for example `BalanceCharged.v1.json`, to its text.
 */
export function renderEventDocuments(): ReadonlyMap<string, string> {
  const documents = Object.entries(hostingEvents).flatMap(([name, { sentence, versions }]) =>
    versions.map(({ version, schema }): [string, string] => {
      const title = storedTypeOf(name, version);
      const { $schema, ...shape } = z.toJSONSchema(schema);
      const document = { $schema, title, description: sentence, ...shape };
      return [`${title}.json`, `${JSON.stringify(document, null, 2)}\n`];
    }),
  );
  return new Map(documents.sort(([left], [right]) => (left < right ? -1 : 1)));
}
