import { Map as PersistentMap } from "immutable";

import { chargeOf, chargeRowOf, rowOfText, type ChargeRow } from "./charge-row.codec.ts";
import type { Charge } from "./charge.ts";

/** Maximum charges stored as objects; then they are packed as text. */
const recentLimit = 1_024;

/** Approximate bytes of a charge in memory (Node 26, 900,000 charges of registrations). */
const bytesOfRecent = 600;
const bytesOfPacked = 156;

/** Number of packs of one size that are merged into a larger pack, because a lookup searches each pack. */
const packsMerged = 4;

/** Charges of the largest packs; building such a pack takes some milliseconds. */
const largestPack = recentLimit * packsMerged ** 2;

/**
 * All charges of an account by their ids, which make a repeated charge harmless. The latest are objects, older
 * charges are text, which takes less memory and is parsed when it is read. Immutable: an addition returns a new value
 * that shares the rest. The packs stay because a map of texts loads from a snapshot in more than twice the processor
 * time (ADR 0008).
 */
export class Charges {
  static readonly none = new Charges(PersistentMap(), [], 0);

  readonly size: number;
  /** Latest charges; they replace packed charges with the same id. */
  readonly recent: PersistentMap<string, Charge>;
  /** Oldest first; a later pack replaces charges of earlier packs. */
  readonly packs: readonly Pack[];
  /** The id of the last lookup without a result. */
  #missed: string | undefined;

  private constructor(recent: PersistentMap<string, Charge>, packs: readonly Pack[], size: number) {
    this.recent = recent;
    this.packs = packs;
    this.size = size;
  }

  /** Approximate size in memory in bytes. */
  get bytes(): number {
    return this.recent.size * bytesOfRecent + (this.size - this.recent.size) * bytesOfPacked;
  }

  get(chargeId: string): Charge | undefined {
    const known = this.recent.get(chargeId);
    if (known !== undefined) return known;
    const found = this.#packed(chargeId);
    return found && chargeOf(rowOfText(textAt(found.pack, found.start)));
  }

  has(chargeId: string): boolean {
    return this.recent.has(chargeId) || this.#packed(chargeId) !== undefined;
  }

  /** @param charge has a new id. */
  add(charge: Charge): Charges {
    return this.#with(charge, this.size + 1);
  }

  /** @param charge replaces the charge with the same id. */
  replace(charge: Charge): Charges {
    return this.#with(charge, this.size);
  }

  /** @param rows charges with new ids. */
  addRows(rows: readonly ChargeRow[]): Charges {
    return new Charges(this.recent, withPack(this.packs, packOf(rows)), this.size + rows.length);
  }

  /** Returns all charges in stored form, in no order. */
  *rows(): Generator<ChargeRow, void, undefined> {
    for (const charge of this.recent.values()) yield chargeRowOf(charge);
    const packed = this.packs.reduce((sum, { starts }) => sum + starts.length, 0);
    const areAllCurrent = this.recent.size + packed === this.size;
    for (const pack of this.packs)
      for (const start of pack.starts) {
        const row = rowOfText(textAt(pack, start));
        if (areAllCurrent || this.#isCurrent(row[0], pack, start)) yield row;
      }
  }

  /** Returns the charge of an invoice, by the invoice's id or number. Packed charges are searched as text. */
  ofInvoice(invoice: number | string): Charge | undefined {
    const isIt = ({ invoiceId, invoiceNumber }: Charge): boolean =>
      invoice === invoiceId || invoice === invoiceNumber;
    const recent = this.recent.valueSeq().find(isIt);
    if (recent !== undefined) return recent;
    const written = `,${JSON.stringify(invoice)},`;
    for (const pack of this.packs)
      for (let at = pack.text.indexOf(written); at >= 0; at = pack.text.indexOf(written, at + 1)) {
        const start = pack.text.lastIndexOf("\n", at) + 1;
        const charge = chargeOf(rowOfText(textAt(pack, start)));
        if (isIt(charge) && this.#isCurrent(charge.chargeId, pack, start)) return charge;
      }
    return undefined;
  }

  #with(charge: Charge, size: number): Charges {
    const recent = this.recent.set(charge.chargeId, charge);
    if (recent.size < recentLimit) return new Charges(recent, this.packs, size);
    const pack = packOf([...recent.values()].map(chargeRowOf));
    return new Charges(PersistentMap(), withPack(this.packs, pack), size);
  }

  #packed(chargeId: string): Found | undefined {
    // The decision and the event handler look up the same id one after the other.
    if (this.packs.length === 0 || chargeId === this.#missed) return undefined;
    const hash = hashOf(chargeId);
    const begin = `[${JSON.stringify(chargeId)},`;
    for (let at = this.packs.length - 1; at >= 0; at -= 1) {
      const pack = this.packs[at];
      const found = pack && findIn(pack, hash, begin);
      if (found !== undefined) return found;
    }
    this.#missed = chargeId;
    return undefined;
  }

  /** False if a later charge replaced this one. */
  #isCurrent(chargeId: string, pack: Pack, start: number): boolean {
    if (this.recent.has(chargeId)) return false;
    const found = this.#packed(chargeId);
    return found?.pack === pack && found.start === start;
  }
}

/** Charges as text. */
interface Pack {
  /** Rows as JSON lines. */
  readonly text: string;
  /** Ascending hashes of the ids; of equal hashes the latest charge comes first. */
  readonly hashes: Uint32Array;
  /** Start of each row in the text, in the same order. */
  readonly starts: Uint32Array;
}

interface Found {
  readonly pack: Pack;
  readonly start: number;
}

function packOf(rows: readonly ChargeRow[]): Pack {
  return packed(rows.map((row) => ({ hash: hashOf(row[0]), text: JSON.stringify(row) })));
}

/** @param rows the latest first, if some have the same id. */
function packed(rows: readonly { readonly hash: number; readonly text: string }[]): Pack {
  const begins = new Uint32Array(rows.length);
  // One number for a hash (32 bits) and a place (14 bits), because JavaScript stores it exactly and sorts arrays of
  // numbers fast.
  const places = new Float64Array(rows.length);
  let length = 0;
  for (const [place, { hash, text }] of rows.entries()) {
    begins[place] = length;
    places[place] = hash * rows.length + place;
    length += text.length + 1;
  }
  places.sort();
  const text = `${rows.map((row) => row.text).join("\n")}\n`;
  const pack = { text, hashes: new Uint32Array(rows.length), starts: new Uint32Array(rows.length) };
  for (const [at, place] of places.entries()) {
    pack.hashes[at] = Math.floor(place / rows.length);
    pack.starts[at] = begins[place % rows.length] ?? 0;
  }
  return pack;
}

/** Adds a pack, and merges packs of one size when there are enough. */
function withPack(packs: readonly Pack[], added: Pack): readonly Pack[] {
  let all = [...packs, added];
  for (let most = recentLimit; most < largestPack; most *= packsMerged) {
    const merged = all.slice(-packsMerged);
    if (merged.length < packsMerged || merged.some(({ starts }) => starts.length > most)) return all;
    const rows: { readonly hash: number; readonly text: string }[] = [];
    for (const pack of merged.toReversed())
      for (const [at, start] of pack.starts.entries())
        rows.push({ hash: pack.hashes[at] ?? 0, text: textAt(pack, start) });
    all = [...all.slice(0, -packsMerged), packed(rows)];
  }
  return all;
}

/** Returns the latest row with this hash and this beginning. Other rows with the hash are not parsed. */
function findIn(pack: Pack, hash: number, begin: string): Found | undefined {
  const { text, hashes, starts } = pack;
  for (let at = firstAt(hashes, hash); hashes[at] === hash; at += 1) {
    const start = starts[at] ?? 0;
    if (text.startsWith(begin, start)) return { pack, start };
  }
  return undefined;
}

/** Returns the first place whose hash is not below the hash. */
function firstAt(hashes: Uint32Array, hash: number): number {
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashes[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

function textAt({ text }: Pack, start: number): string {
  return text.slice(start, text.indexOf("\n", start));
}

/** FNV-1a of 32 bits (draft-eastlake-fnv): fast for short texts, and spread well over them. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
}
