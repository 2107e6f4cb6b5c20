/**
 * The store keeps data and metadata as texts; EventStoreDB's clients send bytes. Bytes that are JSON by their content
 * type and valid UTF-8 are kept as they are. Everything else is kept as base64 behind a mark that no JSON text can
 * start with, so that every byte comes back.
 */
const mark = "\u0001";
const jsonMark = `${mark}j`;
const binaryMark = `${mark}b`;

/** The content types of EventStoreDB. */
export const jsonType = "application/json";
export const binaryType = "application/octet-stream";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text in which the bytes are stored. */
export function toStoredText(bytes: Uint8Array, contentType: string): string {
  const isJson = contentType === jsonType;
  const text = isJson ? decodeUtf8(bytes) : undefined;
  if (text !== undefined && !text.startsWith(mark)) return text;
  return (isJson ? jsonMark : binaryMark) + Buffer.from(bytes).toString("base64");
}

/** The bytes and the content type that were stored. */
export function fromStoredText(text: string): { readonly bytes: Uint8Array; readonly contentType: string } {
  if (!text.startsWith(mark)) return { bytes: Buffer.from(text), contentType: jsonType };
  return {
    bytes: Buffer.from(text.slice(2), "base64"),
    contentType: text.startsWith(jsonMark) ? jsonType : binaryType,
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
