import { Code, ConnectError } from "@connectrpc/connect";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { openHarness, type Harness, type SupportInstance } from "../support-service.fixture.ts";
import { startReceiver, type Receiver } from "./receiver.fixture.ts";

const owner = 7;
const at = "2026-03-01T10:00:00.000000Z";

let harness: Harness;
let receiver: Receiver;

beforeEach(async () => {
  [harness, receiver] = await Promise.all([openHarness(), startReceiver()]);
});

/** Starts an instance with a webhook of the owner for balances and tickets. */
async function start(): Promise<SupportInstance> {
  const instance = await harness.start(undefined, { webhookAllow: ["127.0.0.0/8"] });
  const kinds = ["balance.low", "ticket.opened"];
  await instance.as(owner).createWebhook({ url: receiver.url, kinds });
  return instance;
}

const choose = (instance: SupportInstance, balanceLowBelow: string) =>
  instance.as(owner).changeNoticeChoices({ balanceLowBelow });

/** The owner pays so many cents; so many are left. */
function pay(gross: number, left: number, accountId = owner): Promise<void> {
  const [grossCents, balanceAfterCents] = [String(gross), String(left)];
  const data = {
    chargeId: `charge-${String(left)}`,
    invoiceId: 1,
    grossCents,
    balanceAfterCents,
    chargedAt: at,
  };
  return harness.record(`account-${String(accountId)}`, { type: "BalanceCharged", data });
}

/** Staff change the balance by so many cents; so many are there then. */
function adjust(amount: number, after: number): Promise<void> {
  const [amountCents, balanceAfterCents] = [String(amount), String(after)];
  const kind = amount < 0 ? ("debit" as const) : ("credit" as const);
  const data = {
    kind,
    reference: `r${String(after)}`,
    amountCents,
    balanceAfterCents,
    reason: "spec",
    debtAllowed: false,
    adjustedAt: at,
  };
  return harness.record("account-7", { type: "BalanceAdjusted", data });
}

const noticeBody = z.object({ data: z.record(z.string(), z.unknown()) });

/** The amounts of the notices that were received. */
const received = () =>
  receiver.received.map(({ body }) => noticeBody.parse(JSON.parse(body))).map(({ data }) => data);

/** Returns the kinds of the deliveries that precede a ticket opened now. */
async function noticedBy(instance: SupportInstance): Promise<readonly string[]> {
  await instance.as(owner).openTicket({ title: "Last", message: "m" });
  const [webhook] = (await instance.as(owner).listWebhooks({})).webhooks;
  const webhookId = webhook?.webhookId ?? 0n;
  const kinds = async () =>
    (await instance.as(owner).listWebhookDeliveries({ webhookId })).deliveries.map(({ kind }) => kind);
  await eventually(harness.clock, async () => {
    expect(await kinds()).toContain("ticket.opened");
  });
  return kinds();
}

describe("a balance that falls below its account's threshold", () => {
  it("is one notice for each time, by charges and by corrections of staff", async () => {
    const instance = await start();
    await choose(instance, "20");
    await pay(1_000, 2_000);
    await pay(1, 1_999);
    await pay(500, 1_499);
    await adjust(1_000, 2_499);
    await adjust(-2_499, 0);
    await eventually(harness.clock, () => {
      expect(received()).toEqual([
        { balance: 19.99, balance_before: 20 },
        { balance: 0, balance_before: 24.99 },
      ]);
    });
    expect(await noticedBy(instance)).toEqual(["balance.low", "balance.low", "ticket.opened"]);
  });

  it("sends none if the account chose no threshold, removed it, or set it above the present balance", async () => {
    const instance = await start();
    await pay(5_000, 1_000);
    await choose(instance, "20.00");
    await pay(100, 900);
    await choose(instance, "");
    await pay(900, 0);
    await choose(instance, "20.00");
    await pay(5_000, 1_000, 8);
    expect(await noticedBy(instance)).toEqual(["ticket.opened"]);
  });
});

describe("the choices of an account", () => {
  it("are read as chosen, only by their account", async () => {
    const instance = await start();
    const { choices: none } = await instance.as(owner).getNoticeChoices({});
    expect([none?.balanceLowBelow, none?.changedAt]).toEqual([undefined, undefined]);
    await choose(instance, "19.9");
    const { choices } = await instance.as(owner).getNoticeChoices({});
    expect([choices?.balanceLowBelow, choices?.changedAt]).toEqual([
      "19.90",
      expect.stringMatching(/^2026-03-01T10:00:00\.\d{6}Z$/),
    ]);
    await instance.as(owner).changeNoticeChoices({});
    expect((await instance.as(owner).getNoticeChoices({})).choices?.balanceLowBelow).toBe("19.90");
    expect((await instance.as(8).getNoticeChoices({})).choices?.balanceLowBelow).toBeUndefined();
    await choose(instance, "");
    expect((await instance.as(owner).getNoticeChoices({})).choices?.balanceLowBelow).toBeUndefined();
  });

  it.each(["-1", "1.999", "1e3", "1\n", "nonsense", " ", "1000000000.01"])(
    "refuse a threshold of %j, and nothing is written",
    async (threshold) => {
      const instance = await start();
      const error: unknown = await choose(instance, threshold).catch((thrown: unknown) => thrown);
      expect(ConnectError.from(error)).toMatchObject({
        code: Code.InvalidArgument,
        rawMessage: expect.stringMatching(/^balance_low_below must /),
      });
      expect(await harness.typesOf("noticechoice-7")).toEqual([]);
    },
  );
});
