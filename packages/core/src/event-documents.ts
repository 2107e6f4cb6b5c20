import { z } from "zod";

import { hostingEvents } from "./hosting-events.ts";
import { storedTypeOf } from "./kernel/event-definition.ts";

/**
 * Returns the JSON Schema (draft 2020-12) and description of every stored event type and version, for outside readers.
 * @returns texts by file name under `docs/reference/events/`, for example `BalanceCharged.v1.json`.
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
