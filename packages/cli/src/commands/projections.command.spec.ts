import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst } from "../testing/run-command.ts";

describe("projections status", () => {
  const live = {
    service: "domain",
    name: "domain_list",
    version: 3,
    position: 9_007_199_254_740_991n,
    behind: 0n,
    rows: 12n,
    state: "live",
  };
  const implementation = {
    projections: {
      listProjections: () => ({
        projections: [
          live,
          { ...live, name: "x", position: 5n, behind: 7n, state: "parked", reason: "No such event." },
          { ...live, name: "y", stoppedStreams: 1 },
        ],
      }),
    },
  };

  it("shows a table to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["projections", "status"]);
    expect(stdout).toBe(
      [
        "SERVICE  NAME         VERSION          POSITION  BEHIND  ROWS  STATE   STOPPED  REASON",
        "domain   domain_list        3  9007199254740991       0    12  live          0  -",
        "domain   x                  3                 5       7    12  parked        0  No such event.",
        "domain   y                  3  9007199254740991       0    12  live          1  -",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["projections", "status", "--json"]);
    const document = { service: "domain", name: "domain_list", version: 3, position: 9_007_199_254_740_991 };
    expect(JSON.parse(stdout)).toEqual([
      { ...document, behind: 0, rows: 12, state: "live", skipped: [], stopped_streams: 0, reason: null },
      {
        ...document,
        name: "x",
        position: 5,
        behind: 7,
        rows: 12,
        state: "parked",
        skipped: [],
        stopped_streams: 0,
        reason: "No such event.",
      },
      {
        ...document,
        name: "y",
        behind: 0,
        rows: 12,
        state: "live",
        skipped: [],
        stopped_streams: 1,
        reason: null,
      },
    ]);
  });
});

describe("projections stopped", () => {
  it("lists the stopped streams, with the read models and the reason", async () => {
    const stop = {
      stream: "domain-zzz.com",
      revision: 3n,
      position: 17n,
      eventId: "e-1",
      eventType: "DomainRenewed.v1",
      kind: "damaged",
      since: "2026-03-01T10:00:00.000000Z",
      reason: "the data is not JSON",
      readModels: ["domain.domains", "support.notices"],
    };
    const implementation = { projections: { listStoppedStreams: () => ({ streams: [stop] }) } };
    const { stdout } = await runAgainst(implementation, ["projections", "stopped", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      {
        stream: "domain-zzz.com",
        revision: 3,
        position: 17,
        event_id: "e-1",
        event_type: "DomainRenewed.v1",
        kind: "damaged",
        since: "2026-03-01T10:00:00.000000Z",
        reason: "the data is not JSON",
        read_models: ["domain.domains", "support.notices"],
      },
    ]);
    const shown = await runAgainst(implementation, ["projections", "stopped"]);
    expect(shown.stdout).toMatch(/domain-zzz\.com +3 .*domain\.domains, support\.notices/u);
  });
});

describe("projections mend", () => {
  const asked: unknown[] = [];
  const implementation = {
    projections: {
      mendStream: ({ stream, revision, reason }: { stream: string; revision: bigint; reason: string }) => {
        asked.push([stream, revision, reason]);
        return { eventType: "DomainRenewed.v1" };
      },
    },
  };

  it("sends the stream, the event and the reason, and prints which streams continue", async () => {
    const command = ["projections", "mend", "domain-zzz.com", "3", "--reason", "A script wrote it."];
    const { stdout } = await runAgainst(implementation, [...command, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      stream: "domain-zzz.com",
      revision: 3,
      event_type: "DomainRenewed.v1",
    });
    expect((await runAgainst(implementation, command)).stdout).toContain(
      "domain-zzz.com goes on without event 3 (DomainRenewed.v1).",
    );
    expect(asked).toEqual(Array(2).fill(["domain-zzz.com", 3n, "A script wrote it."]));
  });

  it.each([
    ["no reason", ["projections", "mend", "domain-zzz.com", "4"]],
    ["no revision", ["projections", "mend", "domain-zzz.com", "four", "--reason", "Not ours."]],
  ])("is wrong usage with %s", async (_, command) => {
    expect(await runAgainst(implementation, command)).toMatchObject({ exitCode: 2 });
  });
});

describe("projections rebuild", () => {
  const asked: string[] = [];
  const implementation = {
    projections: {
      rebuildProjections: ({ name }: { name: string }) => {
        asked.push(name);
        return {
          projections: [
            { service: "account", name: "balance", events: 100n, rows: 9n, equal: true },
            { service: "domain", name: "domain_list", events: 100n, rows: 10n, equal: false },
          ],
        };
      },
    },
  };

  it("prints a table, and which results differ", async () => {
    expect(await runAgainst(implementation, ["projections", "rebuild"])).toEqual({
      exitCode: 0,
      stdout: [
        "SERVICE  NAME         EVENTS  ROWS  EQUAL",
        "account  balance         100     9  yes",
        "domain   domain_list     100    10  no",
        "",
      ].join("\n"),
      stderr: "domain domain_list: the new rows differ from those it had.\n",
    });
  });

  it("answers JSON, and rebuilds only a named one", async () => {
    const { stdout } = await runAgainst(implementation, ["projections", "rebuild", "balance", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      { service: "account", name: "balance", events: 100, rows: 9, equal: true, failure: null },
      { service: "domain", name: "domain_list", events: 100, rows: 10, equal: false, failure: null },
    ]);
    expect(asked).toEqual(["", "balance"]);
  });

  it("is refused when one could not be rebuilt, and still answers the results of the others", async () => {
    const failing = {
      projections: {
        rebuildProjections: () => ({
          projections: [
            { service: "account", name: "balance", events: 100n, rows: 9n },
            { service: "domain", name: "list", events: 0n, rows: 0n, failure: "The disk is full." },
          ],
        }),
      },
    };
    const { exitCode, stdout, stderr } = await runAgainst(failing, ["projections", "rebuild", "--json"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe("domain list could not be rebuilt and stays as it was: The disk is full.\n");
    expect(JSON.parse(stdout)).toEqual([
      { service: "account", name: "balance", events: 100, rows: 9, equal: null, failure: null },
      { service: "domain", name: "list", events: 0, rows: 0, equal: null, failure: "The disk is full." },
    ]);
  });
});

describe("projections skip", () => {
  it("mends the event at a position for all read models", async () => {
    const asked: unknown[] = [];
    const implementation = {
      projections: {
        skipProjectionEvent: ({ name, position, reason }: admin.SkipProjectionEventRequest) => {
          asked.push({ name, position, reason });
          const stream = "account-999";
          const skippedAt = "2026-03-01T10:00:00.000000Z";
          return {
            service: "domain",
            name,
            skipped: { position, stream, eventType: "SomethingForeign.v1", reason, skippedAt },
          };
        },
      },
    };
    const line = ["projections", "skip", "domain_list", "4", "--reason", "Not ours."];
    expect(JSON.parse((await runAgainst(implementation, [...line, "--json"])).stdout)).toEqual({
      service: "domain",
      name: "domain_list",
      skipped: [
        {
          position: 4,
          stream: "account-999",
          event_type: "SomethingForeign.v1",
          reason: "Not ours.",
          skipped_at: "2026-03-01T10:00:00.000000Z",
        },
      ],
    });
    expect(asked).toEqual([{ name: "domain_list", position: 4n, reason: "Not ours." }]);
    expect((await runAgainst(implementation, line)).stdout).toBe(
      "account-999 goes on without the event at 4. Read models are built anew beside the present ones.\n",
    );
  });
});
