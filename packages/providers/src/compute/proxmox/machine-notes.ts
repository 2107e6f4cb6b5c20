import { createHash } from "node:crypto";

import { z } from "zod";

import type { ServerOrder } from "../compute.port.ts";

const notesSchema = z.object({
  /** Name of the order. */
  order: z.string(),
  /** Digest of the order's content, equal for every repeat. */
  digest: z.string(),
  address: z.ipv4(),
  rdns: z.string(),
  /** Time when the order was begun; ISO 8601 UTC with six fractional digits. */
  at: z.string(),
  /** False until the machine was set up and started. */
  ready: z.boolean(),
});

/** Permanent data of a machine, stored in its notes so that they cannot be lost separately. */
export type MachineNotes = z.output<typeof notesSchema>;

const mark = "hostledger: ";

export function descriptionOf(notes: MachineNotes): string {
  return `Kept by Hostledger. The next line names the order: leave it as it is.\n\n${mark}${JSON.stringify(notes)}\n`;
}

/** Parses the notes in a description; undefined for a foreign machine. */
export function notesIn(description: string | undefined): MachineNotes | undefined {
  const line = description?.split("\n").find((one) => one.startsWith(mark));
  if (line === undefined) return undefined;
  try {
    return notesSchema.safeParse(JSON.parse(line.slice(mark.length))).data;
  } catch {
    return undefined;
  }
}

/** Returns a digest of the order without the firewall, which may change later. */
export function digestOf({ plan, region, distro, sshKey }: ServerOrder): string {
  const { title, cores, memoryGb, storageGb } = plan;
  const content = JSON.stringify([title, cores, memoryGb, storageGb, region, distro, sshKey]);
  return createHash("sha256").update(content).digest("hex");
}
