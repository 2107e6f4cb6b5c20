import { createHash } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { counted } from "@hostledger/core";

import { createTileBuilder, createTree, entriesPath, formatEntryBundle, tilePath } from "../../log/index.ts";
import { openCheckpoint, readVerifiers } from "../checkpoints.ts";
import { BundleError, type ComputedTile } from "../log-source.ts";
import { writeBalances } from "./balances-file.ts";
import { type BundledEvent, leafOfEvent } from "./bundled-event.ts";
import { writeManifest } from "./manifest.ts";

const tileWidth = 256;

export interface BundleContents {
  /** Signed checkpoint at which the bundle ends. */
  readonly note: string;
  /** Verifier keys, the present one first. */
  readonly verifierKeys: readonly string[];
  readonly earlierNotes?: readonly string[];
  /** Events in log order; events after the checkpoint are not read. */
  readonly events: AsyncIterable<readonly BundledEvent[]>;
  /** A line per damaged event, complete after the events have ended. */
  readonly damage?: readonly string[];
  /** The read model's balances at the checkpoint, in cents by account id. */
  readonly balances?: ReadonlyMap<number, bigint>;
  /** JSON Schemas by file name. */
  readonly schemas: ReadonlyMap<string, string>;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Name and version of the program, such as `hostledger 0.1.0`. */
  readonly program: string;
  /** Text of the stand-alone verifier to include. */
  readonly verifier?: string;
  /** Signs the manifest's SHA-256 with the log's key. @returns the signed note */
  readonly sign: (manifestHash: Uint8Array) => Promise<string>;
}

/** Writes a bundle to an empty or new directory. @returns number of events @throws BundleError */
export async function writeBundle(
  directory: string,
  contents: BundleContents,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<number> {
  const verifiers = readVerifiers(contents.verifierKeys);
  const checkpoint = openCheckpoint("The checkpoint", contents.note, verifiers);
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) throw new BundleError(`${directory} is not empty.`);
  const files = new Map<string, string>();
  const put = async (path: string, bytes: Uint8Array | string): Promise<void> => {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    files.set(path, sha256(bytes).toString("hex"));
  };
  const root = await writeLog(contents.events, checkpoint.size, put, onProgress);
  if (Buffer.compare(root, checkpoint.root) !== 0)
    throw new BundleError(
      "The events that were read are not those that the checkpoint signs; the bundle is unfinished.",
    );
  for (const [name, text] of contents.schemas) await put(join("schemas", name), text);
  for (const note of contents.earlierNotes ?? []) {
    const { size } = openCheckpoint("An earlier checkpoint", note, verifiers);
    if (size <= checkpoint.size) await put(join("checkpoints", String(size)), note);
  }
  if (contents.balances !== undefined) await put("balances.json", writeBalances(contents.balances));
  const { damage = [] } = contents;
  if (damage.length > 0) await put("damage.json", `${JSON.stringify(damage, undefined, 2)}\n`);
  if (contents.verifier !== undefined) await put("verify-bundle.mjs", contents.verifier);
  await put("README.txt", readmeText);
  await put("key", `${contents.verifierKeys.join("\n")}\n`);
  await put("checkpoint", contents.note);
  const manifest = writeManifest({ ...contents, origin: checkpoint.origin, size: checkpoint.size, files });
  await put("manifest.note", await contents.sign(sha256(manifest)));
  // Written last, because only a directory with a manifest is a bundle.
  await put("manifest.json", manifest);
  return checkpoint.size;
}

function sha256(bytes: Uint8Array | string): Buffer {
  return createHash("sha256").update(bytes).digest();
}

async function writeLog(
  events: BundleContents["events"],
  size: number,
  put: (path: string, bytes: Uint8Array) => Promise<void>,
  onProgress: (done: number, total: number) => void,
): Promise<Uint8Array> {
  const tiles: ComputedTile[] = [];
  const builder = createTileBuilder({ emit: (tile) => void tiles.push(tile) });
  const tree = createTree();
  let pending: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    const tile = Math.floor((tree.size - 1) / tileWidth);
    await put(entriesPath(tile, pending.length), formatEntryBundle(pending));
    for (const { level, index, width, bytes } of tiles.splice(0))
      await put(tilePath(level, index, width), bytes);
    pending = [];
    onProgress(tree.size, size);
  };
  for await (const batch of events) {
    for (const event of batch) {
      if (tree.size >= size) break;
      const { full, bundled, hash } = leafOfEvent(event);
      if (bundled[0] === 2) await put(join("large", String(tree.size)), full);
      tree.append(hash);
      builder.append(hash);
      pending.push(bundled);
      if (pending.length === tileWidth) await flush();
    }
    if (tree.size >= size) break;
  }
  if (pending.length > 0) await flush();
  if (tree.size !== size)
    throw new BundleError(
      `Only ${String(tree.size)} of ${counted(size, "event")} could be read; the bundle is unfinished.`,
    );
  for (const { level, index, width, bytes } of builder.partials())
    await put(tilePath(level, index, width), bytes);
  return tree.root();
}

const readmeText = `This directory is a copy of Hostledger's audit log, up to its checkpoint.

manifest.json       what this is: format, version, origin, number of events, and SHA-256 of every file below
manifest.note       SHA-256 of manifest.json, signed with the log's key; a file that is not listed is no part of this
checkpoint          size and root hash of the log, signed (C2SP tlog-checkpoint, signed-note)
key                 the verifier keys, one per line; compare them with keys from another source
checkpoints/        earlier checkpoints, by size
tile/               hashes and events (C2SP tlog-tiles)
large/              events of more than 65,535 bytes, whose digest stands in tile/entries
schemas/            JSON Schema of the data of each type of event
balances.json       what the accounts showed at the time of the export
damage.json         only there if the store was damaged: which events are not those that the log has the hashes of
verify-bundle.mjs   verifies all this: node verify-bundle.mjs . --key KEY

An entry: byte 1; length (2 bytes) and stream; revision (8); UUID (16); length (2) and type; time (27, ASCII);
length (4) and data; length (4) and metadata. Texts are UTF-8, integers big-endian. A leaf hash is
SHA-256(byte 0, entry). A larger entry stands as byte 2, SHA-256 of it (32), and its length (4).
`;
