import { hash } from "node:crypto";

/** Hostledger's random namespace for event ids (RFC 9562 §6.6). A change would break the detection of repeats. */
const eventNamespace = octets("5f0c9a52-6e0b-4d7c-9a3e-2b8d4c1f7e60");

/**
 * Makes a name-based UUID, version 5 (RFC 9562 §5.5): the same namespace and name always give the same id.
 * @param namespace a UUID.
 */
export function uuidV5(namespace: string, name: string): string {
  return nameBased(octets(namespace), name);
}

/**
 * Makes the id of the `index`th event that a command adds to a stream. Ids are deterministic, so an append whose answer
 * was lost can be repeated and is stored once.
 *
 * The id also covers the event's data (ADR 0026), because the store compares only ids. Two processes may decide one
 * command differently, with other ids, prices or times. The second append then conflicts, and its process reads the first
 * one's events.
 * @param openData the event's data as JSON text without personal fields, because anyone with the log can test guesses
 * against the hash.
 */
export function eventId(stream: string, commandId: string, index: number, openData: string): string {
  // A newline occurs in no stream name, index or JSON text, so different parts never give one name.
  return nameBased(eventNamespace, `${stream}\n${commandId}\n${String(index)}\n${openData}`);
}

function octets(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

function nameBased(namespace: Buffer, name: string): string {
  return format(hash("sha1", Buffer.concat([namespace, Buffer.from(name)]), "hex"));
}

/** Sets version 5 and variant 10, as the RFC requires, and inserts the dashes. */
function format(sha1: string): string {
  const variant = ((Number.parseInt(sha1.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
}
