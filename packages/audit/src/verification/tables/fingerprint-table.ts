import { randomBytes } from "node:crypto";

/**
 * Assigns row numbers to strings and stores eight bytes of each, because a Map of millions of stream names would be too
 * large. Two of ten million strings collide once in 300,000 runs; a correct log could then get a finding that does not
 * recur. The fingerprint is keyed randomly per table, so that a log's author cannot choose colliding names:
 * HalfSipHash-1-3 on two lanes with separate keys.
 */
export class FingerprintTable {
  readonly #lanes = [new Lane(), new Lane()] as const;
  #slots = new Int32Array(1024).fill(-1);
  #low = new Uint32Array(512);
  #high = new Uint32Array(512);
  #size = 0;

  /** Number of different strings. */
  get size(): number {
    return this.#size;
  }

  /** Returns the row of a string; -1 if never added. */
  find(text: string): number {
    const [low, high] = this.#fingerprint(text);
    return this.#slots[this.#slotOf(low, high)] ?? -1;
  }

  /** Returns the row of a string, adding it if new. */
  add(text: string): number {
    const [low, high] = this.#fingerprint(text);
    const slot = this.#slotOf(low, high);
    const found = this.#slots[slot] ?? -1;
    if (found >= 0) return found;
    const row = this.#size;
    this.#slots[slot] = row;
    this.#low = withRoom(this.#low, row);
    this.#high = withRoom(this.#high, row);
    this.#low[row] = low;
    this.#high[row] = high;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return row;
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot] ?? -1;
      if (row < 0 || (this.#low[row] === low && this.#high[row] === high)) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let row = 0; row < this.#size; row += 1)
      this.#slots[this.#slotOf(this.#low[row] ?? 0, this.#high[row] ?? 0)] = row;
  }

  #fingerprint(text: string): readonly [number, number] {
    return [this.#lanes[0].hash(text), this.#lanes[1].hash(text)];
  }
}

/** Computes HalfSipHash-1-3 of a text's UTF-16 units with its own key, 32 bits. */
class Lane {
  readonly #key = new Int32Array(new Uint8Array(randomBytes(8)).buffer);
  readonly #state = new Int32Array(4);

  hash(text: string): number {
    const state = this.#state;
    const [low = 0, high = 0] = this.#key;
    state[0] = low;
    state[1] = high;
    state[2] = low ^ 0x6c_79_67_65;
    state[3] = high ^ 0x74_65_64_62;
    // Beyond the text charCodeAt returns NaN, which shifts to zero.
    for (let at = 0; at < text.length; at += 2)
      this.#mix(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    this.#mix(text.length);
    state[2] ^= 0xff;
    for (let round = 0; round < 3; round += 1) this.#round();
    const [, v1 = 0, , v3 = 0] = state;
    return (v1 ^ v3) >>> 0;
  }

  #mix(word: number): void {
    const state = this.#state;
    state[3] = (state[3] ?? 0) ^ word;
    this.#round();
    state[0] = (state[0] ?? 0) ^ word;
  }

  #round(): void {
    const state = this.#state;
    let [v0, v1, v2, v3] = [state[0] ?? 0, state[1] ?? 0, state[2] ?? 0, state[3] ?? 0];
    v0 = (v0 + v1) | 0;
    v1 = rotated(v1, 5) ^ v0;
    v0 = rotated(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotated(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotated(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotated(v1, 13) ^ v2;
    v2 = rotated(v2, 16);
    state[0] = v0;
    state[1] = v1;
    state[2] = v2;
    state[3] = v3;
  }
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function withRoom(column: Uint32Array<ArrayBuffer>, row: number): Uint32Array<ArrayBuffer> {
  if (row < column.length) return column;
  const wider = new Uint32Array(column.length * 2);
  wider.set(column);
  return wider;
}
