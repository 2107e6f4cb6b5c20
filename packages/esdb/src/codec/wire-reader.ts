/** How a field is written: protobuf's wire types. */
const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The message is not what its definition says, or is cut short. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** Walks over the fields of a protobuf message, or of one inside it, without copying. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  #wireType = 0;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    if (end > bytes.length) throw new WireError("a message is cut short");
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The next field's number; 0 at the end. Its value is read or skipped next. */
  field(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.#number();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  /** An unsigned number of up to 64 bits. */
  unsigned(): bigint {
    if (this.#wireType !== wire.varint) throw new WireError("a number is not written as one");
    let value = 0;
    let factor = 1;
    // Seven times seven bits are exact in a number; nearly all positions and revisions fit.
    for (let count = 0; count < 7; count += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return BigInt(value);
      factor *= 128;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, large);
    }
    throw new WireError("a number is longer than 64 bits");
  }

  text(): string {
    const end = this.#lengthEnd();
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end;
    return text;
  }

  /** The message that is this field's value. */
  message(): WireReader {
    const end = this.#lengthEnd();
    const reader = new WireReader(this.#bytes, this.#at, end);
    this.#at = end;
    return reader;
  }

  skip(): void {
    switch (this.#wireType) {
      case wire.varint:
        while (this.#byte() >= 0x80);
        return;
      case wire.fixed64:
        this.#at += 8;
        return;
      case wire.fixed32:
        this.#at += 4;
        return;
      case wire.bytes:
        this.#at = this.#lengthEnd();
        return;
      default:
        throw new WireError(`a field has the unknown wire type ${String(this.#wireType)}`);
    }
  }

  #lengthEnd(): number {
    if (this.#wireType !== wire.bytes) throw new WireError("a text or message is not written as one");
    const end = this.#number() + this.#at;
    if (end > this.#end) throw new WireError("a field is cut short");
    return end;
  }

  /** A tag or a length: at most 32 bits. `#at` is read after this, so callers add to it last. */
  #number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError("a length is longer than 32 bits");
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw new WireError("a message is cut short");
    this.#at += 1;
    return byte;
  }
}
