import { describe, expect, it } from "vitest";
import { runAsAuditor, runAudit } from "../../testing/audit-server.ts";
import { runAgainst, runCommand } from "../../testing/run-command.ts";

const keys = ["hostledger/ab+12345678+AbCd", "hostledger/ab+87654321+EfGh"];

describe("audit key", () => {
  const implementation = { getCheckpoint: () => ({ note: "", verifierKeys: keys }) };

  it("prints the keys, one a line", async () => {
    const printed = { exitCode: 0, stdout: `${keys.join("\n")}\n`, stderr: "" };
    expect(await runAudit(implementation, ["key"])).toEqual(printed);
    expect(await runAsAuditor(implementation, ["key"])).toEqual(printed);
  });

  it("answers JSON", async () => {
    const { stdout } = await runAudit(implementation, ["key", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ verifier_keys: keys });
  });
});

describe("audit key rotate, and audit log restart", () => {
  it("prints the new keys", async () => {
    const auditors = { rotateAuditKey: () => ({ verifierKeys: keys }) };
    const { stdout } = await runAgainst({ auditors }, ["audit", "key", "rotate"]);
    expect(stdout).toBe(
      `A new key signs from now on beside the old one; it is the first of these:\n${keys.join("\n")}\n`,
    );
  });

  it.each([
    [["key", "rotate"], "Only staff may rotate the key"],
    [["log", "restart", "--reason", "lost"], "Only staff may restart the log"],
  ])("is not for auditors: audit %j", async (line, sentence) => {
    const { exitCode, stderr } = await runCommand(["audit", ...line, "--audit-url", "http://127.0.0.1:1"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
