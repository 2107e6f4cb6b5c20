import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const running = {
  run: "registration-9",
  process: "registration",
  subject: "a.com",
  status: "running",
  step: "order",
  startedAt: "2026-01-01",
  accountId: 7n,
};
const order = {
  ...running,
  run: "serverorder-1",
  process: "server-order",
  subject: "server 5",
  status: "parked",
  startedAt: "2025-12-31",
};
const parked = { ...running, status: "parked", reason: "The registrar\u001b[2J is silent." };

describe("admin runs list", () => {
  const implementation = {
    domains: {
      listRuns: ({ parkedOnly }: { parkedOnly: boolean }) => {
        const unparked = { ...running, run: "registration-10", subject: "bb.com" };
        return { runs: parkedOnly ? [parked] : [parked, unparked] };
      },
    },
    servers: { listServerRuns: () => ({ runs: [] }) },
  };

  it("shows a table to a person, without a control character in it", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "runs", "list"]);
    expect(stdout).toBe(
      [
        "RUN              SUBJECT  ACCOUNT  STATUS   STEP   STARTED     REASON",
        "registration-9   a.com          7  parked   order  2026-01-01  The registrar\u{fffd}[2J is silent.",
        "registration-10  bb.com         7  running  order  2026-01-01  -",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "runs", "list", "--json"]);
    const document = {
      run: "registration-9",
      process: "registration",
      subject: "a.com",
      status: "parked",
      step: "order",
      started_at: "2026-01-01",
      account_id: 7,
      reason: "The registrar\u001b[2J is silent.",
    };
    expect(JSON.parse(stdout)).toEqual([
      document,
      { ...document, run: "registration-10", subject: "bb.com", status: "running", reason: null },
    ]);
  });

  it("lists only parked runs with --parked", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "runs", "list", "--parked", "--json"]);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it("merges the runs of all services into one list, oldest first", async () => {
    const asked: boolean[] = [];
    const servers = {
      listServerRuns: ({ parkedOnly }: { parkedOnly: boolean }) => {
        asked.push(parkedOnly);
        return { runs: [order, { ...order, run: "serverrenewal-2", startedAt: "2026-01-02" }] };
      },
    };
    const line = ["admin", "runs", "list", "--parked", "--json"];
    const { stdout } = await runAgainst({ ...implementation, servers }, line);
    expect(JSON.parse(stdout)).toMatchObject([
      { run: "serverorder-1", process: "server-order", subject: "server 5" },
      { run: "registration-9" },
      { run: "serverrenewal-2" },
    ]);
    expect(asked).toEqual([true]);
  });
});

describe("a run of the server service", () => {
  const requests: unknown[] = [];
  const implementation = {
    servers: {
      retryServerRun: ({ run }: { run: string }) => {
        requests.push(["retry", run]);
        return { run };
      },
      abandonServerRun: ({ run, reason }: { run: string; reason: string }) => {
        requests.push(["abandon", run, reason]);
        return { run };
      },
    },
  };

  it.each(["serverorder-1", "serverrenewal-1"])("is known by its id (%s)", async (run) => {
    requests.length = 0;
    expect((await runAgainst(implementation, ["admin", "runs", "retry", run])).stdout).toBe(
      `${run} tries again.\n`,
    );
    const abandon = ["admin", "runs", "abandon", run, "--reason", "paid back"];
    expect((await runAgainst(implementation, abandon)).stdout).toBe(`${run} is ended.\n`);
    expect(requests).toEqual([
      ["retry", run],
      ["abandon", run, "paid back"],
    ]);
  });
});

describe("admin runs show", () => {
  const said = "The registry answers 2104: Billing failure";
  const steps = [
    { event: "RegistrationStarted", at: "2026-01-01T10:00:00.000000Z" },
    { event: "RegistrarOrderRefused", at: "2026-01-01T10:00:01.000000Z", reason: said },
  ];

  it("prints the provider's answers, as text and as JSON", async () => {
    const implementation = { domains: { showRun: () => ({ steps }) } };
    const line = ["admin", "runs", "show", "registration-9"];
    expect((await runAgainst(implementation, line)).stdout).toContain(`RegistrarOrderRefused  ${said}`);
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      run: "registration-9",
      steps: steps.map((step) => ({ reason: null, ...step })),
    });
  });

  it("asks the service of the run", async () => {
    const implementation = { servers: { showServerRun: () => ({ steps: [] }) } };
    const { exitCode } = await runAgainst(implementation, ["admin", "runs", "show", "serverorder-1"]);
    expect(exitCode).toBe(0);
  });
});

describe("admin runs retry", () => {
  const implementation = { domains: { retryRun: ({ run }: { run: string }) => ({ run }) } };

  it("prints a sentence, and answers JSON", async () => {
    const line = ["admin", "runs", "retry", "registration-9"];
    expect((await runAgainst(implementation, line)).stdout).toBe("registration-9 tries again.\n");
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ run: "registration-9" });
  });
});

describe("admin runs abandon", () => {
  const line = ["admin", "runs", "abandon", "registration-9"];

  it.each([
    [[], "settled by staff"],
    [["--reason", "paid back by hand"], "paid back by hand"],
  ])("hands the reason on, with %j", async (flags, reason) => {
    const requests: unknown[] = [];
    const implementation = {
      domains: {
        abandonRun: (request: { run: string; reason: string }) => {
          requests.push([request.run, request.reason]);
          return { run: request.run };
        },
      },
    };
    expect((await runAgainst(implementation, [...line, ...flags])).stdout).toBe("registration-9 is ended.\n");
    const { stdout } = await runAgainst(implementation, [...line, ...flags, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ run: "registration-9" });
    expect(requests).toEqual([
      ["registration-9", reason],
      ["registration-9", reason],
    ]);
  });
});

it.each(["retry", "abandon"])("admin runs %s is wrong usage without a run", async (verb) => {
  expect(await runCommand(["admin", "runs", verb])).toMatchObject({ exitCode: 2, stdout: "" });
  expect(await runCommand(["admin", "runs", verb, ""])).toMatchObject({ exitCode: 2, stdout: "" });
});
