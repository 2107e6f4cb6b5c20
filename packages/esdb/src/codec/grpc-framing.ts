import { status } from "@grpc/grpc-js";

import { Refusal } from "./refusal.ts";

/** Bytes before each message: a flag for compression, and the length. */
export const frameHeaderBytes = 5;

/** Frames a message for gRPC without compression. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + message.length);
  writeFrameHeader(frame, message.length);
  frame.set(message, frameHeaderBytes);
  return frame;
}

/** Writes the header of a frame into the bytes reserved for it. */
export function writeFrameHeader(frame: Buffer, messageBytes: number): void {
  frame[0] = 0;
  frame.writeUInt32BE(messageBytes, 1);
}

/** Splits the bytes of one stream into messages. */
export class FrameSplitter {
  readonly #messageBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** @param messageBytes maximum bytes of a message. */
  constructor(messageBytes: number) {
    this.#messageBytes = messageBytes;
  }

  /** Returns the messages that are complete. @throws Refusal for a message that is too large or compressed. */
  take(chunk: Buffer): Buffer[] {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    const messages: Buffer[] = [];
    while (this.#bytes >= frameHeaderBytes) {
      const size = frameHeaderBytes + this.#nextLength();
      if (this.#bytes < size) break;
      const all = this.#joined();
      messages.push(all.subarray(frameHeaderBytes, size));
      this.#parts = [all.subarray(size)];
      this.#bytes -= size;
    }
    return messages;
  }

  /** True if no message is incomplete. */
  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  #nextLength(): number {
    // Chunks are only joined if a header is split, so that a large message is copied once.
    const [first] = this.#parts;
    const header = first !== undefined && first.length >= frameHeaderBytes ? first : this.#joined();
    if (header[0] !== 0) throw new Refusal(status.UNIMPLEMENTED, "compressed messages are not taken");
    const length = header.readUInt32BE(1);
    if (length <= this.#messageBytes) return length;
    throw new Refusal(status.RESOURCE_EXHAUSTED, `a message has at most ${String(this.#messageBytes)} bytes`);
  }

  #joined(): Buffer {
    const [first, ...others] = this.#parts;
    const all = first === undefined || others.length > 0 ? Buffer.concat(this.#parts) : first;
    this.#parts = [all];
    return all;
  }
}
