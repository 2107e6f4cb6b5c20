/** Event ids that are remembered; EventStoreDB remembers as many. */
const idLimit = 50_000;

/** Where an event is stored. */
export interface Place {
  readonly streamId: number;
  readonly revision: number;
  readonly position: number;
}

/**
 * The places of the newest event ids, for repeats that name no revision (`any`, `stream-exists`). Hostledger itself
 * always names one, so remembering is a few array writes and the index is built when somebody first asks.
 */
export class RecentIds {
  readonly #ids: string[] = [];
  readonly #streamIds = new Float64Array(idLimit);
  readonly #revisions = new Float64Array(idLimit);
  readonly #positions = new Float64Array(idLimit);
  #next = 0;
  #slots: Map<string, number> | undefined;

  remember(id: string, streamId: number, revision: number, position: number): void {
    const slot = this.#next;
    this.#forget(slot);
    this.#ids[slot] = id;
    this.#streamIds[slot] = streamId;
    this.#revisions[slot] = revision;
    this.#positions[slot] = position;
    this.#slots?.set(id, slot);
    this.#next = (slot + 1) % idLimit;
  }

  /** The newest event with this id. */
  find(id: string): Place | undefined {
    this.#slots ??= new Map(this.#oldestFirst());
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    return {
      streamId: this.#streamIds[slot] ?? 0,
      revision: this.#revisions[slot] ?? 0,
      position: this.#positions[slot] ?? 0,
    };
  }

  #forget(slot: number): void {
    const id = this.#ids[slot];
    if (id !== undefined && this.#slots?.get(id) === slot) this.#slots.delete(id);
  }

  /** So that of two events with one id the newer one stays in the map. */
  *#oldestFirst(): Generator<[string, number]> {
    for (let offset = 0; offset < this.#ids.length; offset += 1) {
      const slot = (this.#next + offset) % this.#ids.length;
      const id = this.#ids[slot];
      if (id !== undefined) yield [id, slot];
    }
  }
}
