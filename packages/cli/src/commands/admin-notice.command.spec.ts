import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { bounceMail, type BounceMail } from "../testing/bounce-mail.ts";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const createdAt = "2026-01-01";
const taken = {
  deliveryId: 4n,
  noticeId: "msg_1",
  kind: "invoice.issued",
  status: "delivered",
  attempts: 1,
  createdAt,
};
const waiting = {
  ...taken,
  deliveryId: 15n,
  noticeId: "msg_2",
  status: "pending",
  nextAttemptAt: "2026-01-02",
  error: "answered\u001b[2J 500",
};

describe("admin notice list", () => {
  const requests: unknown[] = [];
  const implementation = {
    support: {
      listNoticeDeliveries: ({ accountId, page }: admin.ListNoticeDeliveriesRequest) => {
        requests.push([accountId, page?.afterId, page?.limit]);
        return {
          deliveries: [
            { receiver: "mail", delivery: taken },
            { receiver: "webhook-3", delivery: waiting },
          ],
        };
      },
    },
  };
  const line = ["admin", "notice", "list", "7"];

  it("shows a table to a person, without a control character in it", async () => {
    const { stdout } = await runAgainst(implementation, line);
    expect(stdout.split("\n").map((text) => text.trimEnd())).toEqual([
      "DELIVERY  RECEIVER   EVENT           STATUS     ATTEMPTS  CREATED     NEXT ATTEMPT  ERROR",
      "       4  mail       invoice.issued  delivered         1  2026-01-01  -             -",
      "      15  webhook-3  invoice.issued  pending           1  2026-01-01  2026-01-02    answered\u{fffd}[2J 500",
      "",
    ]);
  });

  it("answers JSON, a page at a time", async () => {
    requests.length = 0;
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      {
        id: 4,
        receiver: "mail",
        notice_id: "msg_1",
        event: "invoice.issued",
        status: "delivered",
        attempts: 1,
        response_status: null,
        error: null,
        created_at: createdAt,
        last_attempt_at: null,
        next_attempt_at: null,
      },
      expect.objectContaining({ id: 15, receiver: "webhook-3", next_attempt_at: "2026-01-02" }),
    ]);
    await runAgainst(implementation, [...line, "--after", "12"]);
    expect(requests).toEqual([
      [7n, 0n, 1_000],
      [7n, 12n, 1_000],
    ]);
  });
});

describe("admin notice resend", () => {
  const line = ["admin", "notice", "resend", "4"];

  it("names the delivery", async () => {
    const requests: bigint[] = [];
    const implementation = {
      support: {
        resendNoticeDelivery: ({ deliveryId }: admin.ResendNoticeDeliveryRequest) => {
          requests.push(deliveryId);
          return {};
        },
      },
    };
    expect((await runAgainst(implementation, line)).stdout).toBe("Delivery 4 is sent again.\n");
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ delivery_id: 4 });
    expect(requests).toEqual([4n, 4n]);
  });
});

it.each([
  [["admin", "notice", "list"]],
  [["admin", "notice", "list", "0"]],
  [["admin", "notice", "list", "7", "--after", "x"]],
  [["admin", "notice", "resend"]],
  [["admin", "notice", "resend", "-1"]],
])("is wrong usage as %j", async (wrong) => {
  expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
});

describe("admin notice bounced", () => {
  const noticeId = "msg_0123456789abcdef0123456789abcdef";
  const line = ["admin", "notice", "bounced"];
  const asked: unknown[] = [];
  const implementation = {
    support: {
      recordMailBounce: ({ noticeId: notice, recipient, status }: admin.RecordMailBounceRequest) => {
        asked.push([notice, recipient, status]);
        return { accountId: 7n, deliveryId: 4n, stopped: status.startsWith("5.1") };
      },
    },
  };
  const piped = (mail: Partial<BounceMail> = {}) => [Buffer.from(bounceMail({ noticeId, ...mail }))];

  it("names the customer of bounced mail, and whether further mail is sent", async () => {
    asked.length = 0;
    const { stdout } = await runAgainst(implementation, line, piped());
    expect(stdout).toBe("Delivery 4 came back (5.1.1); account 7 gets no more mail at that address.\n");
    const later = await runAgainst(implementation, line, piped({ status: "5.2.2" }));
    expect(later.stdout).toBe("Delivery 4 came back (5.2.2); account 7 still gets mail.\n");
    expect(asked).toEqual([
      [noticeId, "ada@example.org", "5.1.1"],
      [noticeId, "ada@example.org", "5.2.2"],
    ]);
    const { stdout: json } = await runAgainst(implementation, [...line, "--json"], piped());
    expect(JSON.parse(json)).toEqual([{ account_id: 7, delivery_id: 4, status: "5.1.1", stopped: true }]);
  });

  it("records nothing for a delayed mail or an invalid report", async () => {
    asked.length = 0;
    const late = await runAgainst(implementation, line, piped({ action: "delayed" }));
    expect(late).toMatchObject({ exitCode: 0, stdout: "No delivery has failed yet.\n" });
    const answer = await runAgainst(implementation, line, [Buffer.from("Subject: Hello\r\n\r\nThank you")]);
    expect(answer).toMatchObject({ exitCode: 1, stdout: "" });
    expect(answer.stderr).toMatch(/^This mail is no delivery status notification/);
    expect(asked).toEqual([]);
  });
});

it("admin notice resume has an account written to again", async () => {
  const asked: bigint[] = [];
  const support = {
    resumeMail({ accountId }: admin.ResumeMailRequest) {
      asked.push(accountId);
      return {};
    },
  };
  const { stdout } = await runAgainst({ support }, ["admin", "notice", "resume", "7"]);
  expect([stdout, asked]).toEqual(["Mail to account 7 is sent again.\n", [7n]]);
});
