/** EPP's framing (RFC 5734 §4): four bytes of total length, most significant first, then XML in UTF-8. */

const headerBytes = 4;

/** Maximum bytes of a frame; the longest answers of registries have some ten thousand. */
export const longestFrameBytes = 1_048_576;

/** Thrown if the other side violates the framing, so the stream cannot be parsed further. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Encodes XML as a frame. @throws FrameError if too long */
export function encodeFrame(xml: string): Uint8Array {
  const body = Buffer.from(xml, "utf8");
  const length = headerBytes + body.length;
  if (length > longestFrameBytes) throw new FrameError(tooLong(length));
  const frame = Buffer.allocUnsafe(length);
  frame.writeUInt32BE(length);
  body.copy(frame, headerBytes);
  return frame;
}

/** Assembles the frames of a connection. Allocates memory only for received bytes, not for announced lengths. */
export class FrameReader {
  readonly #longestBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** @param longestBytes maximum length of a frame with its header. */
  constructor(longestBytes: number = longestFrameBytes) {
    this.#longestBytes = longestBytes;
  }

  /** True within a frame, where the connection must not end. */
  get isHalf(): boolean {
    return this.#bytes > 0;
  }

  /** Accepts received bytes. @returns XML of each completed frame @throws FrameError for a wrong length or invalid UTF-8 */
  push(chunk: Uint8Array): string[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: string[] = [];
    for (let length = this.#length(); length <= this.#bytes; length = this.#length())
      frames.push(this.#take(length));
    return frames;
  }

  /** Returns the length of the current frame; infinity before its header is complete. */
  #length(): number {
    if (this.#bytes < headerBytes) return Number.POSITIVE_INFINITY;
    // Joins a header that arrived in pieces.
    if ((this.#chunks[0]?.length ?? 0) < headerBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = Buffer.from(this.#chunks[0]?.subarray(0, headerBytes) ?? []).readUInt32BE();
    if (length <= headerBytes) throw new FrameError(`A frame of ${String(length)} bytes has no content.`);
    if (length > this.#longestBytes) throw new FrameError(tooLong(length, this.#longestBytes));
    return length;
  }

  #take(length: number): string {
    const all = Buffer.concat(this.#chunks);
    const rest = all.subarray(length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(all.subarray(headerBytes, length));
    } catch {
      throw new FrameError("The frame is not UTF-8.");
    }
  }
}

function tooLong(length: number, longest = longestFrameBytes): string {
  return `A frame of ${String(length)} bytes is too long: ${String(longest)} are the most.`;
}
