/**
 * Checks that each stream begins at revision 0 without gaps, and that positions only grow. Memory grows with the streams
 * (about 100 bytes each), not with the events.
 */
export class LogOrder {
  readonly #next = new Map<string, bigint>();
  #position = -1n;

  /** @returns the violation by an event, or undefined. */
  brokenBy(event: {
    readonly stream: string;
    readonly revision: bigint;
    readonly position: bigint;
  }): string | undefined {
    const { stream, revision, position } = event;
    if (position <= this.#position)
      return `position ${String(position)} does not follow ${String(this.#position)}`;
    const next = this.#next.get(stream) ?? 0n;
    if (revision !== next) {
      return `stream ${stream} goes on with revision ${String(revision)} where ${String(next)} is expected`;
    }
    this.#position = position;
    this.#next.set(stream, revision + 1n);
    return undefined;
  }

  get streams(): number {
    return this.#next.size;
  }
}
