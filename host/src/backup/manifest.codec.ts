import { createHash } from "node:crypto";

import { z } from "zod";

import { BackupError } from "./backup-error.ts";

/** Name of the file that lists a set's files. It is written last: a set without it is no backup. */
export const manifestName = "manifest.json";

/** The form of a set. Another version of Hostledger may know another one. */
const formatVersion = 1;

/** Allowed paths of a set's files, each below the folder of its run; no path of a manifest leaves the set. */
const setPath =
  /^\d{6}\/((events|documents|subject-keys|sandbox)\.sqlite|caller\.key|admin\.token|demo\.json|audit\/(key|checkpoints\/[1-9]\d{0,15}))$/;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

const fileSchema = z.strictObject({ path: z.string().regex(setPath), bytes: count, sha256: hash });

const eventsSchema = z.discriminatedUnion("engine", [
  z.strictObject({
    engine: z.literal("embedded"),
    position: count,
    streams: count,
    events: count,
    firstId: z.string(),
    lastHash: z.union([hash, z.literal("")]),
  }),
  /** The events are on a server, which is backed up by its own means. */
  z.strictObject({ engine: z.literal("eventstoredb"), position: z.string().regex(/^\d+$/), events: count }),
]);

const manifestSchema = z.strictObject({
  format: z.literal("hostledger-backup"),
  version: z.literal(formatVersion),
  /** Time of the backup, ISO 8601 UTC. */
  takenAt: z.string(),
  facts: eventsSchema,
  files: z.array(fileSchema),
});

/** A file of a set: its path below the set's directory, its length and its SHA-256 in hexadecimal digits. */
export type SetFile = z.infer<typeof fileSchema>;

/** First and last event of a set, and their store. */
export type SetEvents = z.infer<typeof eventsSchema>;

/** Contents of a set. */
export type Manifest = z.infer<typeof manifestSchema>;

const sealedSchema = z.strictObject({ manifest: z.unknown(), sha256: hash });

/** The file's text; it ends with its own hash, so that a change of it is noticed like that of any other file. */
export function formatManifest(manifest: Omit<Manifest, "format" | "version">): string {
  const whole: Manifest = { format: "hostledger-backup", version: formatVersion, ...manifest };
  return `${JSON.stringify({ manifest: whole, sha256: hashOf(whole) }, undefined, 2)}\n`;
}

/** @param path of the file, for the sentence. @throws BackupError it is no manifest, another version's, or was changed */
export function parseManifest(text: string, path: string): Manifest {
  const sealed = sealedSchema.safeParse(jsonOf(text));
  if (!sealed.success) throw new BackupError(`${path} is not the list of files of a Hostledger backup.`);
  const { manifest, sha256 } = sealed.data;
  const { success, data } = z.object({ version: z.number() }).safeParse(manifest);
  if (success && data.version !== formatVersion)
    throw new BackupError(
      `${path} was written by another version of Hostledger (format ${String(data.version)}; this one reads ${String(formatVersion)}): restore with that version.`,
    );
  const known = manifestSchema.safeParse(manifest);
  if (!known.success || hashOf(manifest) !== sha256)
    throw new BackupError(`${path} is not as the backup wrote it: it was changed.`);
  return known.data;
}

function hashOf(manifest: unknown): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
