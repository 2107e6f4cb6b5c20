/** Types of the browser's module, for specs and for the page's other modules. */
type Bytes = Uint8Array<ArrayBuffer>;

export interface ShownEvent {
  readonly stream: string;
  readonly revision: string | number;
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly data: string;
  readonly metadata: string;
}
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}
export function entryOf(event: ShownEvent): Promise<Bytes>;
export function leafHash(entry: Bytes): Promise<Bytes>;
export function sameBytes(first: Uint8Array, second: Uint8Array): boolean;
export function fromBase64(value: string): Bytes;
export function openCheckpoint(note: string, keys: readonly string[]): Promise<Checkpoint>;
export function verifyInclusion(claim: {
  readonly index: number;
  readonly size: number;
  readonly leaf: Bytes;
  readonly proof: readonly Bytes[];
  readonly root: Uint8Array;
}): Promise<boolean>;
export function verifyConsistency(claim: {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Bytes;
  readonly secondRoot: Uint8Array;
  readonly proof: readonly Bytes[];
}): Promise<boolean>;
