import { findingLine, readBundle, verifyLog } from "@hostledger/audit/verification";
import { z } from "zod";

import { serveParent } from "../harness/child.ts";
import { describeThreads } from "../harness/profile.ts";
import { watchResidentMemory } from "./peak-memory.ts";
import type { Pass } from "./replay.ts";

/** Verifies a bundle as `hostledger audit verify` does. `verify.child.ts DIRECTORY`. */
const [directory = "."] = process.argv.slice(2);
const peak = watchResidentMemory();
const questionSchema = z.object({ profile: z.boolean() });

serveParent((question) => {
  const { profile } = questionSchema.parse(question);
  return profile ? describeThreads(verifyOnce) : verifyOnce();
});

async function verifyOnce(): Promise<Pass> {
  const startMs = performance.now();
  const { size, findings } = await verifyLog(await readBundle(directory));
  const [first] = findings;
  if (first !== undefined) throw new Error(`a right bundle has a finding: ${findingLine(first)}`);
  return { seconds: (performance.now() - startMs) / 1_000, events: size, peakBytes: peak() };
}
