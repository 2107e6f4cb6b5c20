import { existsSync, readFileSync } from "node:fs";

import type { Lineage, Remembered } from "@hostledger/store";
import { writeFileAtomically } from "@hostledger/runtime";
import { z } from "zod";

/** The newest events that a process has seen, stored beside the event store. */
export interface SeenEvents {
  readonly remembered: readonly Remembered[];
  /** The last id of each sequence that is known to be reserved. */
  readonly sequences: ReadonlyMap<string, number>;
}

const bigints = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const stored = z.object({
  events: z.array(
    z.object({
      stream: z.string(),
      revision: bigints,
      id: z.string(),
      position: bigints,
      series: z.int().min(0),
    }),
  ),
  sequences: z.record(z.string(), z.int().positive()),
});

/** Reads the file; one that is missing or damaged says nothing. */
export function readSeenEvents(file: string): SeenEvents {
  const parsed = existsSync(file) ? stored.safeParse(jsonOf(readFileSync(file, "utf8"))) : undefined;
  if (parsed?.success !== true) return { remembered: [], sequences: new Map() };
  return { remembered: parsed.data.events, sequences: new Map(Object.entries(parsed.data.sequences)) };
}

/**
 * Writes the seen events if they differ from the file. Known ids that another process of the directory stored stay.
 * @returns the new content of the file.
 */
export function writeSeenEvents(
  file: string,
  { remembered, sequences }: Pick<Lineage, "remembered" | "sequences">,
  written: string,
): string {
  const events = remembered.map(({ stream, revision, id, position, series = 0 }) => ({
    stream,
    revision: String(revision),
    id,
    position: String(position),
    series,
  }));
  const text = JSON.stringify({ events, sequences: Object.fromEntries(sequences) });
  if (text === written) return written;
  const merged = new Map(readSeenEvents(file).sequences);
  for (const [name, last] of sequences) merged.set(name, Math.max(last, merged.get(name) ?? 0));
  writeFileAtomically(file, `${JSON.stringify({ events, sequences: Object.fromEntries(merged) })}\n`, 0o600);
  return text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
