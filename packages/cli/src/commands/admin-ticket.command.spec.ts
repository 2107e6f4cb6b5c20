import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const ticket = {
  id: 4n,
  title: "Slow\u001b[2J server",
  status: "open",
  priority: "normal",
  serverId: 5n,
  createdAt: "2026-01-01",
  updatedAt: "2026-01-02",
};
const document = {
  id: 4,
  account_id: 7,
  title: ticket.title,
  status: "open",
  priority: "normal",
  server_id: 5,
  created_at: "2026-01-01",
  updated_at: "2026-01-02",
};

describe("admin ticket list", () => {
  const requests: unknown[] = [];
  const implementation = {
    support: {
      listAllTickets: ({ openOnly, page }: admin.ListAllTicketsRequest) => {
        requests.push([openOnly, page?.afterId, page?.limit]);
        const { serverId: _, ...aboutDomain } = ticket;
        return {
          tickets: [
            { accountId: 7n, ticket },
            { accountId: 8n, ticket: { ...aboutDomain, id: 12n, title: "Hello", priority: "emergency" } },
            { accountId: 0n, ticket: { ...aboutDomain, id: 13n, title: "For staff" } },
          ],
        };
      },
    },
  };

  it("shows a table to a person, without a control character in it", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "ticket", "list"]);
    expect(stdout).toBe(
      [
        "TICKET  ACCOUNT  STATUS  PRIORITY   OPENED      TITLE",
        "     4        7  open    normal     2026-01-01  Slow\u{fffd}[2J server",
        "    12        8  open    emergency  2026-01-01  Hello",
        "    13    staff  open    normal     2026-01-01  For staff",
        "",
      ].join("\n"),
    );
  });

  it("answers JSON, a page at a time", async () => {
    requests.length = 0;
    const line = ["admin", "ticket", "list", "--json"];
    const { stdout } = await runAgainst(implementation, line);
    expect(JSON.parse(stdout)).toEqual([
      document,
      { ...document, id: 12, account_id: 8, title: "Hello", priority: "emergency", server_id: null },
      { ...document, id: 13, account_id: null, title: "For staff", server_id: null },
    ]);
    await runAgainst(implementation, [...line, "--open", "--after", "12"]);
    expect(requests).toEqual([
      [false, 0n, 1_000],
      [true, 12n, 1_000],
    ]);
  });

  it("passes its filters on", async () => {
    const asked: unknown[] = [];
    const support = {
      listAllTickets: (request: admin.ListAllTicketsRequest) => {
        const { accountId, status, priority, openedFrom, openedBefore, staffOnly, page } = request;
        asked.push([accountId, status, priority, openedFrom, openedBefore, staffOnly, page?.limit]);
        return {};
      },
    };
    const line = ["admin", "ticket", "list"];
    const words = "--account 7 --status closed --priority emergency --since 2027-01-01T00:00:00Z --limit 5";
    expect((await runAgainst({ support }, [...line, ...words.split(" ")])).stdout).toBe("none\n");
    await runAgainst({ support }, [...line, "--staff", "--before", "2027-01-01T00:00:00Z"]);
    expect(asked).toEqual([
      [7n, "closed", "emergency", "2027-01-01T00:00:00Z", undefined, false, 5],
      [undefined, "", "", undefined, "2027-01-01T00:00:00Z", true, 1_000],
    ]);
  });

  it.each([
    ["--status", "new"],
    ["--priority", "urgent"],
    ["--account", "x"],
    ["--staff", "--account", "7"],
    ["--open", "--status", "closed"],
  ])("is wrong usage with %s %s", async (...words) => {
    expect(await runCommand(["admin", "ticket", "list", ...words])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
  });
});

describe("admin ticket show", () => {
  const implementation = {
    support: {
      showTicket: () => ({
        ticket: { accountId: 7n, ticket },
        message: "It is slow.\nVery.",
        comments: [
          { id: 1n, comment: "Still.", userId: 7n, userName: "Ada", staff: false, createdAt: "2026-01-02" },
          {
            id: 2n,
            comment: "We look.",
            userId: 0n,
            userName: "Support",
            staff: true,
            createdAt: "2026-01-03",
          },
        ],
      }),
    },
  };

  it("shows the conversation to a person", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "ticket", "show", "4"]);
    expect(stdout).toContain("It is slow.\nVery.\n");
    expect(stdout).toContain("Ada, 2026-01-02:\nStill.\n");
    expect(stdout).toContain("Support, 2026-01-03:\nWe look.\n");
    expect(stdout).not.toContain("\u001b");
  });

  it("answers JSON", async () => {
    const { stdout } = await runAgainst(implementation, ["admin", "ticket", "show", "4", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      ...document,
      message: "It is slow.\nVery.",
      comments: [
        { id: 1, user: "Ada", staff: false, comment: "Still.", created_at: "2026-01-02" },
        { id: 2, user: "Support", staff: true, comment: "We look.", created_at: "2026-01-03" },
      ],
    });
  });

  it("removes control characters of customers, but keeps their lines", async () => {
    const hostile = {
      support: {
        showTicket: () => ({
          ticket: { accountId: 7n, ticket },
          message: "one\ntwo\u001b[2J",
          comments: [
            {
              id: 1n,
              comment: "\u001b]0;x\u0007",
              userId: 7n,
              userName: "A\u001b[1m",
              staff: false,
              createdAt: "2026",
            },
          ],
        }),
      },
    };
    const { stdout } = await runAgainst(hostile, ["admin", "ticket", "show", "4"]);
    for (const control of ["\u001b", "\u0007"]) expect(stdout).not.toContain(control);
    expect(stdout).toContain("one\ntwo");
  });
});

describe("admin ticket reply", () => {
  const line = ["admin", "ticket", "reply", "4", "--message", "We look."];

  it("answers as staff", async () => {
    const requests: unknown[] = [];
    const implementation = {
      support: {
        answerTicket: ({ ticketId, message }: admin.AnswerTicketRequest) => {
          requests.push([ticketId, message]);
          return { ticketId, commentId: 9n };
        },
      },
    };
    expect((await runAgainst(implementation, line)).stdout).toBe("Ticket 4 is answered.\n");
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ ticket_id: 4, comment_id: 9, repeated: false });
    expect(requests[0]).toEqual([4n, "We look."]);
  });

  it.each([[line.slice(0, 4)], [line.with(5, " ")], [line.with(3, "0")]])(
    "is wrong usage as %j",
    async (wrong) => {
      expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe("admin ticket close", () => {
  it("closes", async () => {
    const implementation = {
      support: {
        showTicket: () => ({ ticket: { ticket: { status: "open" } } }),
        closeTicketFor: ({ ticketId }: admin.CloseTicketForRequest) => ({ ticketId }),
      },
    };
    const line = ["admin", "ticket", "close", "4"];
    expect((await runAgainst(implementation, line)).stdout).toBe("Ticket 4 is closed.\n");
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ ticket_id: 4, repeated: false });
  });

  it("reports that nothing was done if the ticket was closed before", async () => {
    const support = { showTicket: () => ({ ticket: { ticket: { status: "closed" } } }) };
    expect(await runAgainst({ support }, ["admin", "ticket", "close", "4"])).toMatchObject({
      exitCode: 0,
      stdout: "Nothing was done: ticket 4 was closed before.\n",
    });
  });

  it("is wrong usage without a ticket's id", async () => {
    expect(await runCommand(["admin", "ticket", "close"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
