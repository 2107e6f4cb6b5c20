/**
 * `pnpm run advisories` checks the packages of the lockfile for known vulnerabilities, from the snapshot beside this
 * file and without network. It fails if the snapshot is missing, old, or of another lockfile. `pnpm run advisories
 * --fetch` creates the snapshot from the npm registry.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { z } from "zod";

import { verdictOn, type Snapshot } from "./advisories-verdict.ts";

const root = dirname(import.meta.dirname);
const file = join(import.meta.dirname, "advisories.json");
const lockfile = createHash("sha256")
  .update(readFileSync(join(root, "pnpm-lock.yaml")))
  .digest("hex");

const advisory = z.object({ module: z.string(), severity: z.string(), title: z.string(), url: z.string() });
const snapshotForm = z.object({
  fetchedAt: z.iso.datetime(),
  lockfile: z.string(),
  advisories: z.record(z.string(), advisory),
  /** Why an advisory, by its id, does not concern this program. */
  accepted: z.record(z.string(), z.string().min(20)),
});
const answerForm = z.object({
  advisories: z.record(
    z.string(),
    z.object({ module_name: z.string(), severity: z.string(), title: z.string(), url: z.string() }),
  ),
});

const known = existsSync(file) ? snapshotForm.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
const snapshot = process.argv.includes("--fetch") ? fetchSnapshot(known) : known;
const faults = verdictOn(snapshot, { lockfile, now: new Date() });
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`No advisory concerns the lockfile, as of ${snapshot?.fetchedAt ?? ""}.`);

function fetchSnapshot(previous: Snapshot | undefined): Snapshot | undefined {
  const { stdout, stderr } = spawnSync("pnpm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
  const answer = answerForm.safeParse(parsed(stdout));
  if (!answer.success) {
    console.error(`The registry gave no advisories: ${stderr.trim() || stdout.slice(0, 500)}`);
    process.exitCode = 1;
    return previous;
  }
  const advisories = Object.fromEntries(
    Object.entries(answer.data.advisories).map(([id, { module_name: module, severity, title, url }]) => [
      id,
      { module, severity, title, url },
    ]),
  );
  const made = {
    fetchedAt: new Date().toISOString(),
    lockfile,
    advisories,
    accepted: previous?.accepted ?? {},
  };
  writeFileSync(file, `${JSON.stringify(made, undefined, 2)}\n`);
  return made;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
