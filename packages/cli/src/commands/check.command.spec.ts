import { describe, expect, it } from "vitest";

import { run } from "../cli.ts";
import type { System } from "../command-context.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { nothing } from "../testing/fake-system.ts";

async function check(checkProviders: System["checkProviders"], environment = {}, ...flags: string[]) {
  const io = capturedIo(environment);
  const loadSystem = () => Promise.resolve({ ...nothing, checkProviders });
  const exitCode = await run(["check", "providers", ...flags], io, { loadSystem });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

const simulated = { isRight: true, sentence: "It is simulated." };
const refusing = { isRight: false, sentence: "The token is not known: make one." };

describe("hostledger check providers", () => {
  it("succeeds if everything is right", async () => {
    const all = () =>
      Promise.resolve([{ provider: "dns", adapter: "sandbox", findings: [simulated] } as const]);
    expect(await check(all)).toEqual({
      exitCode: 0,
      stdout: "ok    dns (sandbox): It is simulated.\n",
      stderr: "",
    });
  });

  it("is refused with a sentence for each thing that is wrong", async () => {
    const all = () =>
      Promise.resolve([
        { provider: "dns", adapter: "sandbox", findings: [simulated] } as const,
        { provider: "compute", adapter: "proxmox", findings: [simulated, refusing] } as const,
      ]);
    const { exitCode, stdout, stderr } = await check(all);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "Not ready for orders: compute.\n" });
    expect(stdout).toContain("WRONG compute (proxmox): The token is not known: make one.\n");
    const answered = await check(all, {}, "--json");
    expect(answered.exitCode).toBe(1);
    expect(JSON.parse(answered.stdout)).toEqual({
      ok: false,
      providers: [
        {
          provider: "dns",
          adapter: "sandbox",
          ok: true,
          findings: [{ ok: true, sentence: "It is simulated." }],
        },
        {
          provider: "compute",
          adapter: "proxmox",
          ok: false,
          findings: [
            { ok: true, sentence: "It is simulated." },
            { ok: false, sentence: "The token is not known: make one." },
          ],
        },
      ],
    });
  });

  it("is wrong usage of the environment before any call", async () => {
    const nobody: System["checkProviders"] = () => Promise.reject(new Error("asked"));
    expect(await check(nobody, { HOSTLEDGER_COMPUTE: "cloud" })).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
