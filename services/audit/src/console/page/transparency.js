// @ts-check
/**
 * What the "verify in this browser" button computes, with WebCrypto and nothing else: the bytes of an entry, the Merkle
 * tree of RFC 6962, and C2SP signed notes. Sources: RFC 6962 sections 2.1.1 and 2.1.2, C2SP signed-note and
 * tlog-checkpoint. It shares no code with the server on purpose.
 */

/** Entries over this many bytes are hashed in their digest form. */
const maximumBundledBytes = 65_535;
const encoder = new TextEncoder();

/**
 * @typedef {{ stream: string, revision: string | number, id: string, type: string, time: string, data: string, metadata: string }} ShownEvent
 * @typedef {{ origin: string, size: number, root: Uint8Array<ArrayBuffer> }} Checkpoint
 */

/** @param {Uint8Array<ArrayBuffer>[]} parts */
function concatenate(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Big-endian. @param {number | bigint} value @param {number} width in bytes */
function integer(value, width) {
  const bytes = new Uint8Array(width);
  let rest = BigInt(value);
  for (let at = width - 1; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 255n);
    rest >>= 8n;
  }
  if (rest !== 0n) throw new Error("An event has a member that is too long for an entry.");
  return bytes;
}

/** @param {string} value @param {number} width of the length before it, in bytes */
function text(value, width) {
  const bytes = encoder.encode(value);
  return concatenate(integer(bytes.length, width), bytes);
}

/** The 16 bytes of a UUID. @param {string} id */
function uuid(id) {
  const digits = id.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new Error("An event's id is no UUID.");
  return integer(BigInt(`0x${digits}`), 16);
}

/** The bytes that stand in the tree for an event, from what is shown of it. @param {ShownEvent} event */
export async function entryOf(event) {
  const time = encoder.encode(event.time);
  if (time.length !== 27) throw new Error("An event's time is not 27 bytes long.");
  const full = concatenate(
    integer(1, 1),
    text(event.stream, 2),
    integer(BigInt(event.revision), 8),
    uuid(event.id),
    text(event.type, 2),
    time,
    text(event.data, 4),
    text(event.metadata, 4),
  );
  if (full.length <= maximumBundledBytes) return full;
  return concatenate(integer(2, 1), await sha256(full), integer(full.length, 4));
}

/** @param {Uint8Array<ArrayBuffer>} entry */
export const leafHash = (entry) => sha256(concatenate(integer(0, 1), entry));

/** @param {Uint8Array<ArrayBuffer>} left @param {Uint8Array<ArrayBuffer>} right */
const nodeHash = (left, right) => sha256(concatenate(integer(1, 1), left, right));

/** @param {Uint8Array} first @param {Uint8Array} second */
export function sameBytes(first, second) {
  return first.length === second.length && first.every((byte, at) => byte === second[at]);
}

/**
 * RFC 9162 section 2.1.3.2, which says how to check the proof of RFC 6962 section 2.1.1.
 * @param {{ index: number, size: number, leaf: Uint8Array<ArrayBuffer>, proof: Uint8Array<ArrayBuffer>[], root: Uint8Array }} claim
 */
export async function verifyInclusion({ index, size, leaf, proof, root }) {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  let node = BigInt(index);
  let last = BigInt(size - 1);
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0n) return false;
    if (node % 2n === 1n || node === last) {
      hash = await nodeHash(sibling, hash);
      while (node % 2n === 0n && node !== 0n) [node, last] = [node / 2n, last / 2n];
    } else hash = await nodeHash(hash, sibling);
    [node, last] = [node / 2n, last / 2n];
  }
  return last === 0n && sameBytes(hash, root);
}

/**
 * RFC 9162 section 2.1.4.2.
 * @param {{ first: number, second: number, firstRoot: Uint8Array<ArrayBuffer>, secondRoot: Uint8Array, proof: Uint8Array<ArrayBuffer>[] }} claim
 */
export async function verifyConsistency({ first, second, firstRoot, secondRoot, proof }) {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 0 || first > second)
    return false;
  if (first === second) return proof.length === 0 && sameBytes(firstRoot, secondRoot);
  // Every log goes on from the empty one, whose root is the hash of nothing.
  if (first === 0) return proof.length === 0 && sameBytes(firstRoot, await sha256(new Uint8Array()));
  let node = BigInt(first - 1);
  let last = BigInt(second - 1);
  while (node % 2n === 1n) [node, last] = [node / 2n, last / 2n];
  const [start, ...rest] = node === 0n ? [firstRoot, ...proof] : proof;
  if (start === undefined) return false;
  let firstHash = start;
  let secondHash = start;
  for (const sibling of rest) {
    if (last === 0n) return false;
    if (node % 2n === 1n || node === last) {
      firstHash = await nodeHash(sibling, firstHash);
      secondHash = await nodeHash(sibling, secondHash);
      while (node % 2n === 0n && node !== 0n) [node, last] = [node / 2n, last / 2n];
    } else secondHash = await nodeHash(secondHash, sibling);
    [node, last] = [node / 2n, last / 2n];
  }
  return last === 0n && sameBytes(firstHash, firstRoot) && sameBytes(secondHash, secondRoot);
}

/** @param {string} value base64 @returns {Uint8Array<ArrayBuffer>} */
export function fromBase64(value) {
  return Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
}

/** @param {string} key `name+hash+base64` */
async function parseKey(key) {
  const [name = "", hash = "", ...rest] = key.split("+");
  // Base64 may contain a plus sign itself.
  const bytes = fromBase64(rest.join("+"));
  if (name === "" || bytes.length !== 33 || bytes[0] !== 1)
    throw new Error("The published key is no Ed25519 verifier key.");
  const id = (await sha256(concatenate(encoder.encode(`${name}\n`), bytes))).slice(0, 4);
  const digits = [...id].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (digits !== hash) throw new Error("The published key does not have the hash that it names.");
  return { name, id, publicKey: bytes.slice(1) };
}

/**
 * The checkpoint of a signed note, when at least one of the keys signed it, and no signature by one of them is wrong.
 * @param {string} note @param {readonly string[]} keys @returns {Promise<Checkpoint>}
 */
export async function openCheckpoint(note, keys) {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new Error("The checkpoint is no signed note.");
  const body = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split("\n");
  const verifiers = await Promise.all(keys.map(parseKey));
  let isSigned = false;
  for (const line of lines) {
    const [, name, encoded = ""] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error("The checkpoint has a line that is no signature.");
    const signature = fromBase64(encoded);
    const verifier = verifiers.find((one) => one.name === name && sameBytes(one.id, signature.slice(0, 4)));
    if (verifier === undefined) continue;
    const key = await crypto.subtle.importKey("raw", verifier.publicKey, "Ed25519", false, ["verify"]);
    if (!(await crypto.subtle.verify("Ed25519", key, signature.slice(4), encoder.encode(body))))
      throw new Error("The signature of the checkpoint is wrong.");
    isSigned = true;
  }
  if (!isSigned) throw new Error("The checkpoint is not signed with the published key.");
  const [origin = "", digits = "", root = ""] = body.split("\n");
  const size = Number(digits);
  const hash = fromBase64(root);
  if (origin === "" || !/^(0|[1-9][0-9]*)$/.test(digits) || !Number.isSafeInteger(size) || hash.length !== 32)
    throw new Error("The checkpoint's text is not as C2SP tlog-checkpoint says.");
  // The origin is the key's name: a checkpoint of another log says so here.
  if (!verifiers.some(({ name }) => name === origin)) throw new Error("The checkpoint is of another log.");
  return { origin, size, root: hash };
}
