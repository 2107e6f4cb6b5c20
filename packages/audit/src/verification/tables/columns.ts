/** A growing column of numbers, default 0; exact for safe integers. */
export class NumberColumn {
  #values = new Float64Array(512);

  get(row: number): number {
    return this.#values[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const wider = new Float64Array(Math.max(row + 1, this.#values.length * 2));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[row] = value;
  }
}

/** A growing column of cents, default 0. */
export class CentsColumn {
  #values = new BigInt64Array(512);

  get(row: number): bigint {
    return this.#values[row] ?? 0n;
  }

  /** @throws RangeError for an amount above 64 bits, which the array would wrap */
  set(row: number, value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${String(value)} cents are no amount`);
    if (row >= this.#values.length) {
      const wider = new BigInt64Array(Math.max(row + 1, this.#values.length * 2));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[row] = value;
  }
}
