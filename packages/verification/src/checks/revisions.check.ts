import { FingerprintTable } from "../tables/fingerprint-table.ts";
import { NumberColumn } from "../tables/columns.ts";
import type { Check } from "./check.ts";

/** Every stream counts 0, 1, 2 … without a gap. */
export function revisionsCheck(): Check {
  const streams = new FingerprintTable();
  const next = new NumberColumn();
  return {
    see({ index, stored: { stream, revision } }, report) {
      const row = streams.add(stream);
      const wanted = next.get(row);
      if (revision !== BigInt(wanted)) {
        report("revisions", index, `the stream's next revision would be ${String(wanted)}`);
      }
      next.set(row, Number(revision) + 1);
    },
    end() {
      // A stream may stop at any revision; a tail that was cut off is the checkpoint's business.
    },
  };
}
