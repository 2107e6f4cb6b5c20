import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import type { Readable } from "node:stream";

import {
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethod,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";

/** The path of a method (Connect protocol, "Unary-Request"). */
export function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** @throws ConnectError Internal for a message that cannot be written. */
export function encode<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Uint8Array {
  try {
    return toBinary(desc, message);
  } catch (error) {
    throw new ConnectError(
      `a ${desc.typeName} cannot be written`,
      Code.Internal,
      undefined,
      undefined,
      error,
    );
  }
}

/** @throws ConnectError Internal, as Connect has it, for bytes that are no such message. */
export function decode<Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(desc, bytes);
  } catch (error) {
    throw new ConnectError(`that is no ${desc.typeName}`, Code.Internal, undefined, undefined, error);
  }
}

/**
 * Gathers a body.
 * @param done is called once it is there, or with an error once it is too large; never, where it is cut off before.
 */
export function gather(
  body: Readable,
  limitBytes: number,
  done: (body: Buffer | ConnectError) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  body.on("data", (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else if (before <= limitBytes)
      done(new ConnectError(`the message has more than ${String(limitBytes)} bytes`, Code.ResourceExhausted));
  });
  body.once("end", () => {
    const [first] = chunks;
    if (size <= limitBytes) done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  });
}

/** The platform's form of received headers, without pseudo-headers (RFC 9113 §8.3). */
export function headersFrom(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || name.startsWith(":")) continue;
    if (typeof value === "string") headers.set(name, value);
    else for (const each of value) headers.append(name, each);
  }
  return headers;
}

/** Adds headers to those that are sent. */
export function addHeaders(to: OutgoingHttpHeaders, headers: Headers, prefix = ""): void {
  headers.forEach((value, name) => {
    to[`${prefix}${name}`] = value;
  });
}
