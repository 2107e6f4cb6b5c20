import { join } from "node:path";

import { ratePerSecond, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { writeAuditBundle } from "../replay/audit-bundle.ts";
import { measureTwoSizes } from "../replay/two-sizes.ts";

/**
 * `hostledger audit verify` of a bundle, against a loop that only reads, hashes and parses every event; and the memory of
 * the verifying process, at four times the events against that at one.
 */
export function measure(settings: Settings): Promise<RowResult> {
  return measureTwoSizes(settings, {
    sizes: [250_000, 1_000_000],
    quickSizes: [1_000, 4_000],
    async prepare(directory, events) {
      const bundle = join(directory, `bundle-${String(events)}`);
      return { stored: await writeAuditBundle(bundle, events), ours: [bundle], bare: [bundle] };
    },
    ours: {
      program: new URL("../replay/verify.child.ts", import.meta.url),
      name: "verify",
      unit: "verified events/s",
    },
    bare: {
      program: new URL("../replay/bare-verify.child.ts", import.meta.url),
      name: "read, SHA-256 and JSON.parse",
    },
    rateAim: ratePerSecond(60_000),
    profileOf: "",
  });
}
