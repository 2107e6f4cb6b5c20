import {
  hostingCodec,
  isForeign,
  notAvailableText,
  readMetadata,
  renderEventDocuments,
  UndecodableEventError,
  type HostingEvent,
} from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";
import { compileSchema, type ShapeCheck } from "./schema-check.ts";

/** An event's data in today's shape, a clause on why it cannot be read, or neither of a foreign event. */
export type Decoded =
  | { readonly event: HostingEvent; readonly problem: undefined }
  | { readonly event: undefined; readonly problem: string | undefined };

const foreign: Decoded = { event: undefined, problem: undefined };

/** Reads the data of one stored type, or gives undefined where the codec shall judge. */
interface QuickReader {
  readonly type: string;
  readonly check: ShapeCheck;
}

let quickReaders: ReadonlyMap<string, QuickReader> | undefined;

const noContradictions: ReadonlyMap<string, string> = new Map();

/**
 * Decodes an event against the JSON Schema of its type. What the compiled schema does not accept, and each older version,
 * goes to the codec, which has the last word and says what is wrong.
 * Personal data is sealed, and a sealed text is longer than the rules for the text allow: the one that is read where there is
 * no key stands for it.
 * @param contradictions why events contradict the events before them, by their ids: these are not read.
 */
export function decodeStored(
  { id, type, data, metadata }: LogEvent,
  contradictions: ReadonlyMap<string, string> = noContradictions,
): Decoded {
  const contradiction = contradictions.get(id);
  if (contradiction !== undefined) return { event: undefined, problem: contradiction };
  if (isForeign({ type, metadata })) return foreign;
  const readable = data.includes('"sealed:v')
    ? data.replaceAll(/"sealed:v[12]:[^"\\]*"/gu, `"${notAvailableText}"`)
    : data;
  try {
    if (hostingCodec.knows(type)) readMetadata(metadata);
    quickReaders ??= compileReaders();
    const reader = quickReaders.get(type);
    if (reader !== undefined) {
      const value: unknown = JSON.parse(readable);
      if (reader.check(value))
        return { event: { type: reader.type, data: value } as HostingEvent, problem: undefined };
    }
    return { event: hostingCodec.decode(type, readable), problem: undefined };
  } catch (error) {
    if (error instanceof UndecodableEventError) return { event: undefined, problem: error.message };
    if (error instanceof SyntaxError) return { event: undefined, problem: `${type}: the data is not JSON` };
    throw error;
  }
}

function compileReaders(): ReadonlyMap<string, QuickReader> {
  const readers = new Map<string, QuickReader>();
  for (const [file, text] of renderEventDocuments()) {
    const storedType = file.replace(/\.json$/u, "");
    const type = storedType.replace(/\.v\d+$/u, "") as HostingEvent["type"];
    const check = compileSchema(JSON.parse(text));
    // An older version has to be lifted to today's shape.
    if (check !== undefined && hostingCodec.storedType(type) === storedType)
      readers.set(storedType, { type, check });
  }
  return readers;
}
