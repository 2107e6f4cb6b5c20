/** Transparency: entries, the Merkle tree of RFC 6962, C2SP tiles and checkpoints, signed notes, and proofs. */
export { formatBundleNote, parseBundleNote, type BundleNote } from "./bundle-note.ts";
export { formatCheckpoint, parseCheckpoint, type Checkpoint } from "./checkpoint.ts";
export {
  formatEntryBundle,
  parseEntryBundle,
  bundledEntry,
  decodeEntry,
  encodeEntry,
  EntryError,
  isDigestEntry,
  maximumBundledBytes,
  type LogEvent,
} from "./entry.ts";
export { emptyRoot, hashBytes, leafHash, sameBytes } from "./hash.ts";
export {
  generateSigner,
  NoteError,
  parseSignerKey,
  parseVerifierKey,
  type NoteErrorCode,
  type NoteSigner,
  type NoteVerifier,
} from "./note-key.ts";
export { openNote, signNote } from "./note.ts";
export {
  consistencyProof,
  inclusionProof,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  type ConsistencyClaim,
  type InclusionClaim,
  type ReadTile,
} from "./proof.ts";
export { createTileBuilder, type TileBuilder } from "./tile-builder.ts";
export {
  entriesPath,
  parseTilePath,
  partialTiles,
  subtreeRoot,
  tilePath,
  tileWidth,
  type Tile,
  type TilePlace,
} from "./tile.ts";
export { createTree, type TreeEdge } from "./tree.ts";
