import { expect } from "vitest";

import type { Instance } from "./instance.ts";

/** The end of the log, once the runs of what came before have written their last fact. */
export async function positionOfLog({ staff }: Instance): Promise<bigint> {
  const unfinished = async (): Promise<readonly unknown[]> => [
    ...(await staff.domains.listRuns({})).runs,
    ...(await staff.servers.listServerRuns({})).runs,
  ];
  await expect.poll(unfinished, { timeout: 30_000 }).toEqual([]);
  const { projections } = await staff.projections.listProjections({});
  return projections.reduce(
    (last, { position, behind }) => (position + behind > last ? position + behind : last),
    0n,
  );
}
