import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { join } from "node:path";

import { z } from "zod";

import type { LoadReport } from "../load/load.ts";
import { describeFunctions, describeShares, timeShares } from "../harness/profile.ts";
import { startProduct, type Product } from "./product.ts";

const profileSchema: z.ZodType<Profiler.Profile> = z.looseObject({
  nodes: z.array(
    z.looseObject({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        scriptId: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
    }),
  ),
  startTime: z.number(),
  endTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/**
 * Runs the product once more under V8's profiler, puts a load on it, and says where its threads spent the sample.
 *
 * @param load sets the instance up and loads it.
 */
export async function profileProduct(
  directory: string,
  load: (product: Product) => Promise<LoadReport>,
): Promise<readonly string[]> {
  const profiles = join(directory, "profiles");
  mkdirSync(profiles, { recursive: true });
  const product = await startProduct(directory, `--cpu-prof --cpu-prof-dir=${profiles}`);
  let report: LoadReport;
  try {
    report = await load(product);
  } finally {
    // The profiles are written when the process ends.
    await product.stop();
  }
  return readdirSync(profiles)
    .toSorted((a, b) => threadOf(a) - threadOf(b))
    .flatMap((file) => {
      const thread = threadOf(file) === 0 ? "the server's main thread" : "the store's writer thread";
      const profile = profileSchema.parse(JSON.parse(readFileSync(join(profiles, file), "utf8")));
      const functions = describeFunctions(profile, report);
      const places = `${thread}: ${describeShares(timeShares(profile, report))}`;
      return functions === "" ? [places] : [places, `${thread}, its heaviest functions: ${functions}`];
    });
}

/** Node names a profile `CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile`. */
function threadOf(file: string): number {
  return Number(file.split(".")[4]);
}
