/** A column of numbers, 0 where nothing was set; it grows with the rows of its table. Exact for safe integers. */
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

/** A column of amounts in cents, 0 where nothing was set. */
export class CentsColumn {
  #values = new BigInt64Array(512);

  get(row: number): bigint {
    return this.#values[row] ?? 0n;
  }

  /** @throws RangeError for an amount of more than 64 bits, which the column would wrap silently. */
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
