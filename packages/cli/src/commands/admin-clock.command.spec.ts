import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const jump = { direction: "behind", expectedAt: "2027-01-01", clockAt: "2026-01-01" };
const accepting = (jumps: (typeof jump)[]) => ({ clock: { acceptClock: () => ({ jumps }) } });
const line = ["admin", "clock", "accept"];

describe("admin clock accept", () => {
  it("prints the confirmed time", async () => {
    expect(await runAgainst(accepting([jump]), line)).toEqual({
      exitCode: 0,
      stdout: "Confirmed: the clock said 2026-01-01, behind of 2027-01-01.\n",
      stderr: "",
    });
  });

  it("succeeds if there was nothing to confirm", async () => {
    expect(await runAgainst(accepting([]), line)).toEqual({
      exitCode: 0,
      stdout: "There is nothing to confirm: the clock is trusted.\n",
      stderr: "",
    });
  });

  it("prints it as JSON", async () => {
    const { stdout } = await runAgainst(accepting([jump]), [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      accepted: [{ direction: "behind", expected_at: "2027-01-01", clock_at: "2026-01-01" }],
    });
  });

  it("accepts no arguments, and needs an instance", async () => {
    expect(await runAgainst(accepting([]), [...line, "now"])).toMatchObject({ exitCode: 2 });
    expect(await runCommand([...line, "--data", "/nowhere"])).toMatchObject({ exitCode: 3 });
  });

  it("shows its help", async () => {
    const { exitCode, stdout } = await runCommand([...line, "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("the present time is right");
  });
});
