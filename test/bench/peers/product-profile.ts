import { join } from "node:path";

import { describeProfiles, profilingInto } from "../harness/profile.ts";
import type { LoadReport } from "../load/load.ts";
import { startProduct, type Product } from "./product.ts";

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
  const product = await startProduct(directory, profilingInto(profiles));
  let report: LoadReport;
  try {
    report = await load(product);
  } finally {
    // The profiles are written when the process ends.
    await product.stop();
  }
  return describeProfiles(profiles, report, ({ number }) => threads[number] ?? "another thread");
}

/** In the order in which a start begins them. */
const threads = ["the server's main thread", "the store's writer thread", "the read models' writer thread"];
