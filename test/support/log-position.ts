import { expect } from "vitest";

import type { Instance } from "./instance.ts";

/** Returns the position of the instance's last event, after earlier runs have written theirs. */
export async function positionOfLog({ lastWritten, staff }: Instance): Promise<bigint | undefined> {
  const unfinished = async (): Promise<readonly unknown[]> => [
    ...(await staff.domains.listRuns({})).runs,
    ...(await staff.servers.listServerRuns({})).runs,
  ];
  await expect.poll(unfinished, { timeout: 30_000 }).toEqual([]);
  return lastWritten();
}
