/**
 * EPP's framing on TCP (RFC 5734 §4): four bytes tell how long a frame is, themselves included, most significant byte first;
 * then comes the XML, in UTF-8.
 */

const headerBytes = 4;

/** The longest frame that is read or written, in bytes: the longest answers of registries have some ten thousand. */
export const longestFrameBytes = 1_048_576;

/** The other side does not keep to the framing: nothing that follows can be understood. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/**
 * The XML as a frame.
 * @throws FrameError when it is longer than anybody reads.
 */
export function encodeFrame(xml: string): Uint8Array {
  const body = Buffer.from(xml, "utf8");
  const length = headerBytes + body.length;
  if (length > longestFrameBytes) throw new FrameError(tooLong(length));
  const frame = Buffer.allocUnsafe(length);
  frame.writeUInt32BE(length);
  body.copy(frame, headerBytes);
  return frame;
}

/** Puts the frames of one connection together. What a header promises takes up no memory before it comes. */
export class FrameReader {
  readonly #longestBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** @param longestBytes the longest frame that is taken, header included. */
  constructor(longestBytes: number = longestFrameBytes) {
    this.#longestBytes = longestBytes;
  }

  /** True in the middle of a frame: the connection may not end here. */
  get isHalf(): boolean {
    return this.#bytes > 0;
  }

  /**
   * Takes bytes as they come.
   *
   * @returns the XML of every frame that is complete with them, in order.
   * @throws FrameError for a length that is impossible or too long, at once, and for bytes that are not UTF-8.
   */
  push(chunk: Uint8Array): string[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: string[] = [];
    for (let length = this.#length(); length <= this.#bytes; length = this.#length())
      frames.push(this.#take(length));
    return frames;
  }

  /** Of the frame that has begun; without bound where its header has not come. */
  #length(): number {
    if (this.#bytes < headerBytes) return Number.POSITIVE_INFINITY;
    // A header may come in pieces: they become one.
    if ((this.#chunks[0]?.length ?? 0) < headerBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = Buffer.from(this.#chunks[0]?.subarray(0, headerBytes) ?? []).readUInt32BE();
    if (length <= headerBytes) throw new FrameError(`A frame of ${String(length)} bytes holds nothing.`);
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
