import {
  hostingCodec,
  isForeign,
  notAvailableText,
  readMetadata,
  renderEventDocuments,
  UndecodableEventError,
  type HostingEvent,
} from "@hostledger/core";
import type { LogEvent } from "../log/index.ts";
import { compileSchema, type ShapeCheck } from "./schema-check.ts";

/** A decoded event, a clause on why it is unreadable, or neither for a foreign event. */
export type Decoded =
  | { readonly event: HostingEvent; readonly problem: undefined }
  | { readonly event: undefined; readonly problem: string | undefined };

const foreign: Decoded = { event: undefined, problem: undefined };

/** Quick reader of one stored type; other data go to the codec. */
interface QuickReader {
  readonly type: string;
  readonly check: ShapeCheck;
}

let quickReaders: ReadonlyMap<string, QuickReader> | undefined;

/**
 * Decodes an event by its type's compiled JSON Schema. Data that do not match, and older versions, go to the codec,
 * which decides and names the problem. Sealed texts exceed the length limits, so each is replaced by the placeholder
 * used without a key.
 */
export function decodeStored({ type, data, metadata }: LogEvent): Decoded {
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
    // Older versions need upcasting.
    if (check !== undefined && hostingCodec.storedType(type) === storedType)
      readers.set(storedType, { type, check });
  }
  return readers;
}
