import { FingerprintTable } from "../tables/fingerprint-table.ts";
import { NumberColumn } from "../tables/charge-table.ts";
import type { Check } from "./check.ts";

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
      // A stream may end at any revision; the checkpoint detects a cut-off tail.
    },
  };
}
