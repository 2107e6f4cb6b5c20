import { describe, expect, it } from "vitest";
import { runAsAuditor, runAudit, type AuditImplementation } from "../../testing/audit-server.ts";

const scrub = {
  rate: 1_000n,
  compared: 5_003n,
  roundStartedAt: "2026-03-01T10:00:00.000000Z",
  roundEndedAt: "2026-03-01T09:00:00.000000Z",
  differences: 0n,
  firstDifference: "",
  fileCheckedAt: "2026-03-01T08:00:00.000000Z",
  fileProblems: [],
};
const right = { state: "following", sentence: "", size: 300_000n, signedSize: 299_990n, mended: [], scrub };
const answering = (changes: object): AuditImplementation => ({
  getLogStatus: () => ({ ...right, ...changes }),
});

describe("audit status", () => {
  it("shows the states of log and scrub to staff and to auditors", async () => {
    const outcome = await runAudit(answering({}), ["status"]);
    expect(outcome).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: [
        "log              following",
        "events           300,000",
        "signed           299,990",
        "scrub            5,003 of 300,000 events, 1,000 a second",
        "round began      2026-03-01T10:00:00Z",
        "last full round  2026-03-01T09:00:00Z",
        "differences      0",
        "file looked at   2026-03-01T08:00:00Z",
        "",
      ].join("\n"),
    });
    expect(await runAsAuditor(answering({}), ["status"])).toEqual(outcome);
  });

  it("answers JSON", async () => {
    const { stdout } = await runAudit(answering({}), ["status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      state: "following",
      size: 300_000,
      scrub: { compared: 5_003, round_ended_at: scrub.roundEndedAt, file_problems: [] },
    });
  });

  it.each([
    [
      "a log that has stopped",
      { state: "stopped", sentence: "It is another store." },
      "It is another store.",
    ],
    [
      "a difference that the scrub has found",
      { scrub: { ...scrub, differences: 1n, firstDifference: "Event 5003 was changed." } },
      "Event 5003 was changed.",
    ],
    [
      "a file that is damaged",
      { scrub: { ...scrub, fileProblems: ["row 5 missing from index x"] } },
      "The file of the event store: row 5 missing from index x.",
    ],
  ])("ends with 1 at %s", async (_what, changes, sentence) => {
    expect(await runAudit(answering(changes), ["status"])).toMatchObject({
      exitCode: 1,
      stderr: `${sentence}\n`,
    });
  });

  it("shows mended events, and a missing or stopped scrub", async () => {
    const mended = ["The file DATA/audit/positions did not fit the event store: it was made anew from it."];
    expect((await runAudit(answering({ mended, scrub: undefined }), ["status"])).stdout).toContain(mended[0]);
    const off = answering({ scrub: { ...scrub, rate: 0n } });
    expect((await runAudit(off, ["status"])).stdout).toContain("none: HOSTLEDGER_SCRUB_RATE is 0");
  });
});
