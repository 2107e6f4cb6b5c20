import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf } from "../../testing/recording.ts";

const put = (body: object) => ({
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

describe("/account/notices", () => {
  it("shows unset choices as null", async () => {
    const gateway = await gatewayUnderTest({ support: { getNoticeChoices: () => ({ choices: {} }) } });
    expect((await gateway.request("/account/notices")).json).toEqual({
      balance_low_below: null,
      mail_kinds: null,
      mail_stopped: null,
      updated_at: null,
    });
  });

  it("shows when and why mail to an address stopped", async () => {
    const mailStopped = { since: "2026-11-23T09:00:00.000000Z", status: "5.1.1" };
    const support = { getNoticeChoices: () => ({ choices: { mailStopped } }) };
    const gateway = await gatewayUnderTest({ support });
    expect((await gateway.request("/account/notices")).json).toMatchObject({ mail_stopped: mailStopped });
  });

  it.each([
    [{ balance_low_below: "20.5" }, { balanceLowBelow: "20.5" }],
    [{ balance_low_below: null }, { balanceLowBelow: "" }],
    [{ mail_kinds: ["key.created"] }, { mailKinds: { all: false, kinds: ["key.created"] } }],
    [{ mail_kinds: [] }, { mailKinds: { all: false, kinds: [] } }],
    [{ mail_kinds: null }, { mailKinds: { all: true, kinds: [] } }],
    [{ kind: "robot" }, {}],
  ])("passes %j on as %j", async (body, expected) => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      support: {
        changeNoticeChoices(request) {
          asked.push(fieldsOf(request));
          return { choices: { balanceLowBelow: "20.50", changedAt: "2026-11-23T09:00:00.000000Z" } };
        },
      },
    });
    expect(await gateway.request("/account/notices", put(body))).toMatchObject({
      status: 200,
      json: { balance_low_below: "20.50", updated_at: "2026-11-23T09:00:00.000000Z" },
    });
    expect(asked).toEqual([expected]);
  });

  it.each([["robot.started"], ["key.created", "key.created"], "key.created", [5]])(
    "refuses kinds of mail of %j by their field",
    async (...kinds) => {
      const gateway = await gatewayUnderTest();
      const [mail_kinds] = kinds.length === 1 && typeof kinds[0] === "string" ? [kinds[0]] : [kinds];
      expect(await gateway.request("/account/notices", put({ mail_kinds }))).toMatchObject({
        status: 422,
        json: { code: "validation_failed" },
      });
    },
  );

  it.each([5, true, ["20"], "1".repeat(21), "20\n"])(
    "refuses a threshold of %j by its field",
    async (threshold) => {
      const gateway = await gatewayUnderTest();
      expect(await gateway.request("/account/notices", put({ balance_low_below: threshold }))).toMatchObject({
        status: 422,
        json: { code: "validation_failed", errors: { balance_low_below: [expect.any(String)] } },
      });
    },
  );
});

describe("/account/notices/deliveries", () => {
  it("shows mail, and sends it again", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/account/notices/deliveries")).json).toMatchObject([
      { id: 1, notice_id: "msg_1", event: "domain.registered", status: "delivered", error: null },
      { id: 2, notice_id: "msg_2", status: "pending", attempts: 1, error: "answered 500" },
    ]);
    const again = (id: string) => gateway.post(`/account/notices/deliveries/${id}/resend`, {});
    expect(await again("7")).toMatchObject({ status: 200, json: { status: true } });
    expect(await again("9")).toMatchObject({ status: 404 });
    expect(await again("x")).toMatchObject({ status: 404 });
  });

  it("is a page at a time, and asks for one more to know whether another follows", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      support: {
        listMailDeliveries({ page }) {
          asked.push([page?.afterId, page?.limit]);
          return { deliveries: [] };
        },
      },
    });
    expect(await gateway.request("/account/notices/deliveries?after=5&limit=2")).toMatchObject({ json: [] });
    expect(asked).toEqual([[5n, 3]]);
  });
});
