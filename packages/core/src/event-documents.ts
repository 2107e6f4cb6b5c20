import { z } from "zod";

import { hostingCodec } from "./hosting-events.ts";

/**
 * The JSON Schema (draft 2020-12) of every stored event type and version, for readers that are not this project.
 * @returns file name under `docs/events/`, for example `BalanceCharged.v1.json`, to its text.
 */
export function renderEventDocuments(): ReadonlyMap<string, string> {
  const documents = [...hostingCodec.versions].map(([storedType, schema]): [string, string] => {
    const { $schema, ...shape } = z.toJSONSchema(schema);
    return [`${storedType}.json`, `${JSON.stringify({ $schema, title: storedType, ...shape }, null, 2)}\n`];
  });
  return new Map(documents.sort(([left], [right]) => (left < right ? -1 : 1)));
}
