import { createHash } from "node:crypto";

import { z } from "zod";

import type { ServerOrder } from "../compute.port.ts";

const notesSchema = z.object({
  /** The order's name. */
  order: z.string(),
  /** Names what was ordered: a repeat has the same. */
  digest: z.string(),
  address: z.ipv4(),
  rdns: z.string(),
  /** When the order was taken up; ISO 8601 UTC with six fractional digits. */
  at: z.string(),
  /** False until the machine was set up and started. */
  ready: z.boolean(),
});

/** What we need to know of a machine for good, kept where it cannot get lost without it: in its notes. */
export type MachineNotes = z.output<typeof notesSchema>;

const mark = "hostledger: ";

/** The notes as the machine's description. */
export function descriptionOf(notes: MachineNotes): string {
  return `Kept by Hostledger. The next line names the order: leave it as it is.\n\n${mark}${JSON.stringify(notes)}\n`;
}

/** What a description says of the machine's order; undefined for a machine that is none of ours. */
export function notesIn(description: string | undefined): MachineNotes | undefined {
  const line = description?.split("\n").find((one) => one.startsWith(mark));
  if (line === undefined) return undefined;
  try {
    return notesSchema.safeParse(JSON.parse(line.slice(mark.length))).data;
  } catch {
    return undefined;
  }
}

/** Names what was ordered, but for the firewall, which may change later. */
export function digestOf({ plan, region, distro, sshKey }: ServerOrder): string {
  const { title, cores, memoryGb, storageGb } = plan;
  const content = JSON.stringify([title, cores, memoryGb, storageGb, region, distro, sshKey]);
  return createHash("sha256").update(content).digest("hex");
}
