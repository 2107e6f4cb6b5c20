import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { hostledger } from "../support/command-line.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { limited } from "../support/limited.ts";
import { openCustomer, sell } from "../support/staff-client.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/**
 * What an auditor takes away after ten thousand registrations is verified twice: by `hostledger audit verify`, and by the
 * plain file that comes with the bundle, which knows nothing of this project's code.
 */

const accounts = 50;
const registrations = 10_000;
const verifier = fileURLToPath(new URL("../../tools/verify-bundle", import.meta.url));
const run = promisify(execFile);

const directory = temporaryDirectory();
const bundle = join(directory.path, "bundle");
const early = join(directory.path, "checkpoint");
let instance: InstanceProcess;

beforeAll(async () => {
  instance = await startInstanceProcess(join(directory.path, "data"));
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const customers = await Promise.all(
    Array.from({ length: accounts }, () => openCustomer(staff, baseUrl, { balanceCents: 1_000_000n })),
  );
  const inTurn = limited(48);
  const answers = await Promise.all(
    Array.from({ length: registrations }, (_, index) =>
      inTurn(async () => {
        // One in a hundred is refused by its registrar, and its charge returned.
        const label = index % 100 === 0 ? `refused-${String(index)}` : `name-${String(index)}`;
        const answer = await customers[index % accounts]?.post("/domains", { domain: `${label}.com` });
        if (index === 1_000) writeFileSync(early, (await staff.audit.getCheckpoint({})).note);
        return answer?.status;
      }),
    ),
  );
  expect(answers.filter((status) => status === 201)).toHaveLength(registrations * 0.99);
  expect(answers.filter((status) => status === 500)).toHaveLength(registrations * 0.01);
  const { code, stderr } = await hostledger("audit", "export", bundle, "--data", instance.data);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}, 280_000);

afterAll(async () => {
  await instance.kill();
  directory.remove();
});

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

it("is found wrong by both when one amount was changed", async () => {
  const changed = join(directory.path, "changed");
  cpSync(bundle, changed, { recursive: true });
  const path = join(changed, "tile", "entries", "x001", "000");
  const file = existsSync(path) ? path : join(changed, "tile", "entries", "100");
  const text = readFileSync(file, "latin1");
  expect(text).toContain('"grossCents":"1190"');
  writeFileSync(file, text.replace('"grossCents":"1190"', '"grossCents":"1090"'), "latin1");
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
