import { hash } from "node:crypto";

/** Hostledger's own namespace for event ids (RFC 9562 §6.6), drawn once at random. Changing it would break repeats. */
const eventNamespace = octets("5f0c9a52-6e0b-4d7c-9a3e-2b8d4c1f7e60");

/**
 * A name-based UUID, version 5 (RFC 9562 §5.5): the same namespace and name always give the same id.
 *
 * @param namespace a UUID.
 */
export function uuidV5(namespace: string, name: string): string {
  return nameBased(octets(namespace), name);
}

/**
 * The id of the `index`th event that a command adds to a stream. Deterministic, so that an append whose answer was
 * lost can be sent again and is stored once.
 *
 * It names what the event says, too (ADR 0026): the store compares ids, not data. Two processes that are given one command at the
 * same moment may decide differently, as each issues ids of its own, and knows prices and the time by itself: the second is
 * no repeat of the first then, meets a conflict, and finds what the first has stored.
 *
 * @param openData the event's data as JSON text, without what is personal of it: whoever has the log can confirm a guess of it.
 */
export function eventId(stream: string, commandId: string, index: number, openData: string): string {
  // A newline cannot be mistaken for a part of a stream's name, of the index or of JSON text, so no two of these share a name.
  return nameBased(eventNamespace, `${stream}\n${commandId}\n${String(index)}\n${openData}`);
}

function octets(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

function nameBased(namespace: Buffer, name: string): string {
  return format(hash("sha1", Buffer.concat([namespace, Buffer.from(name)]), "hex"));
}

/** Sets the version to 5 and the variant to 10, as the RFC asks, and puts the dashes in. */
function format(sha1: string): string {
  const variant = ((Number.parseInt(sha1.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
}
