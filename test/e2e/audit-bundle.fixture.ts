import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { hostledger } from "../support/command-line.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { limited } from "../support/limited.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

const accounts = 50;
/** Events that each registration has at the least. */
const eventsOfEach = 8;
const verifier = fileURLToPath(new URL("../../tools/verify-bundle", import.meta.url));
const run = promisify(execFile);

/** Directory of the bundle. */
interface Places {
  readonly bundle: string;
  /** The note of a checkpoint from the first tenth of the registrations. */
  readonly early: string;
}

/** Registers names, and exports a bundle as auditors do. */
async function exportBundle(
  { staff, baseUrl, data }: InstanceProcess,
  registrations: number,
  { bundle, early }: Places,
): Promise<void> {
  await sell(staff, "com");
  const customers = await Promise.all(
    Array.from({ length: accounts }, () => openCustomer(staff, baseUrl, { balanceCents: 1_000_000n })),
  );
  const inTurn = limited(48);
  const answers = await Promise.all(
    Array.from({ length: registrations }, (_, index) =>
      inTurn(async () => {
        // One registration in a hundred is refused by the registrar and refunded.
        const label = index % 100 === 0 ? `refused-${String(index)}` : `name-${String(index)}`;
        const answer = await customers[index % accounts]?.post("/domains", { domain: `${label}.com` });
        if (index === registrations / 10) writeFileSync(early, (await staff.audits.getCheckpoint({})).note);
        return answer?.status;
      }),
    ),
  );
  expect(answers.filter((status) => status === 201)).toHaveLength(registrations * 0.99);
  expect(answers.filter((status) => status === 500)).toHaveLength(registrations * 0.01);
  // Checkpoints come at most once a second, so all events may be within one.
  const isCovered = async (): Promise<boolean> =>
    Number((await staff.audits.getLogStatus({})).signedSize) >= registrations * eventsOfEach;
  await vi.waitUntil(isCovered, { timeout: 60_000, interval: 100 });
  const { code, stderr } = await hostledger("audit", "export", bundle, "--data", data);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}

/**
 * Verifies an auditor's bundle after many registrations twice: by `hostledger audit verify`, and by the bundle's own
 * file, which is independent of this project's code.
 * @param registrations a multiple of 100.
 */
export function describeAuditBundle(registrations: number): void {
  const directory = temporaryDirectory();
  const bundle = join(directory.path, "bundle");
  const early = join(directory.path, "checkpoint");
  let instance: InstanceProcess;

  beforeAll(async () => {
    instance = await startInstanceProcess(join(directory.path, "data"));
    await exportBundle(instance, registrations, { bundle, early });
  });

  afterAll(async () => {
    await instance.kill();
    directory.remove();
  });

  describe(`the bundle after ${registrations.toLocaleString("en")} registrations`, () => {
    it("verifies with hostledger, against a checkpoint of its past and the key of the instance", async () => {
      const { stdout: keys } = await hostledger("audit", "key", "--data", instance.data);
      const key = keys.trim();
      const line = ["audit", "verify", bundle, "--since", early, "--key", key, "--json"];
      const { code, stdout } = await hostledger(...line);
      expect({ code, reported: code === 0 ? "" : stdout }).toEqual({ code: 0, reported: "" });
      expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    });

    it("verifies with the plain file that comes with it", async () => {
      const copy = join(bundle, "verify-bundle.mjs");
      expect(readFileSync(copy, "utf8")).toBe(readFileSync(verifier, "utf8"));
      const { stdout } = await run(process.execPath, [copy, bundle, "--since", early]);
      expect(stdout).toContain(`${String(accounts)} accounts`);
    });

    it("is reported by both if one amount was changed", async () => {
      const changed = join(directory.path, "changed");
      cpSync(bundle, changed, { recursive: true });
      const amount = '"grossCents":"1190"';
      const entries = readdirSync(join(changed, "tile", "entries"), { recursive: true, withFileTypes: true });
      const texts = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((file) => ({ file, text: readFileSync(file, "latin1") }));
      const { file, text } = texts.findLast((one) => one.text.includes(amount)) ?? { file: "", text: "" };
      writeFileSync(file, text.replace(amount, '"grossCents":"1090"'), "latin1");
      const ours = await hostledger("audit", "verify", changed);
      expect(ours.code).toBe(1);
      expect(ours.stdout).toMatch(/(account|domain|registration)-[\w.-]+@\d+/);
      await expect(run(process.execPath, [verifier, changed])).rejects.toMatchObject({ code: 1 });
    });

    it("agrees with the live instance, whose books, documents, read models and runs agree with each other", async () => {
      for (const command of [["verify", "--live", "--since", early], ["reconcile"]]) {
        const { code, stdout } = await hostledger("audit", ...command, "--data", instance.data);
        expect({ code, reported: code === 0 ? "" : stdout }).toEqual({ code: 0, reported: "" });
      }
    });
  });
}
