import { describe, expect, it } from "vitest";

import { rejection } from "../../kernel/rejection.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import { at, charge, facts, histories, inputs, order, place, started } from "./order-server.fixture.ts";
import {
  chargeAccount,
  completed,
  failOrder,
  given,
  parkedFor,
  placeOrder,
  provision,
  refundFor,
  refuse,
  reserveUnit,
  returnUnit,
} from "./order-server.story.fixture.ts";

describe("an order that goes well", () => {
  it("stores what it is about, and takes a unit", () => {
    given().when(inputs.ordered).then(facts.ServerOrderStarted).andReacts(reserveUnit);
  });

  it("tells the server's stream, then charges the account, then has the server set up", () => {
    given(...histories.reserving)
      .when(inputs.accepted)
      .then(facts.ServerOrderUnitTaken)
      .andReacts({ kind: "send", command: placeOrder });
    given(...histories.placing)
      .when(inputs.accepted)
      .then(facts.ServerOrderPlaced)
      .andReacts(chargeAccount);
    given(...histories.charging)
      .when(inputs.charged)
      .then(facts.ServerOrderCharged)
      .andReacts(provision);
  });

  it("tells the server's stream where it runs and what paid for it", () => {
    const data = { orderId: "o-1", ...place, chargeId: "o-1", invoiceId: 101 };
    given(...histories.provisioning)
      .when(inputs.held)
      .then(facts.ComputeOrderCompleted)
      .andReacts({
        kind: "send",
        command: { to: "server", serverId: 5, order: { type: "RecordProvisioned", data } },
      });
  });

  it("is complete with the server", () => {
    given(...histories.recording)
      .when(inputs.accepted)
      .then(completed("provisioned"))
      .andReacts({ kind: "complete" });
  });
});

describe("a gift", () => {
  const giftStarted = started(null);
  const placed = [giftStarted, facts.ServerOrderPlaced];

  it("takes no unit: it begins with the server's stream", () => {
    given()
      .when({ type: "ordered", order: { ...order, grossCents: null }, at })
      .then(giftStarted)
      .andReacts({ kind: "begin", command: placeOrder });
  });

  it("is not charged, and recorded without a charge", () => {
    given(giftStarted)
      .when(inputs.accepted)
      .then(facts.ServerOrderPlaced)
      .andReacts({
        kind: "call",
        request: { type: "provision", order: { ...order, grossCents: null, startedAt: at } },
      });
    const data = { orderId: "o-1", ...place, chargeId: null, invoiceId: null };
    given(...placed)
      .when(inputs.held)
      .then(facts.ComputeOrderCompleted)
      .andReacts({
        kind: "send",
        command: { to: "server", serverId: 5, order: { type: "RecordProvisioned", data } },
      });
  });

  it("that fails has nothing to refund", () => {
    given(...placed, facts.ComputeOrderRefused)
      .when(inputs.accepted)
      .then(facts.ServerOrderFailureRecorded)
      .andReacts(returnUnit);
  });
});

describe("an order that is refused before anything is charged", () => {
  const noStock = rejection("out-of-stock");
  const outOfStock: ServerOrderEvent = {
    type: "ServerOrderRefused",
    data: { code: noStock.code, message: noStock.message, requiredCents: null, availableCents: null, at },
  };
  const insufficient = rejection("insufficient-balance", undefined, {
    requiredCents: 2_997n,
    availableCents: 1_000n,
  });

  it("for want of a unit keeps the stock's words", () => {
    given(...histories.reserving)
      .when({ type: "rejected", rejection: noStock, at })
      .then(outOfStock)
      .andReacts(failOrder(noStock.message));
  });

  it("for want of money keeps the account's figures", () => {
    given(...histories.charging)
      .when({ type: "rejected", rejection: insufficient, at })
      .then(facts.ServerOrderRefused)
      .andReacts(failOrder(insufficient.message));
  });

  it("tells the server's stream, and gives the unit back, without a refund", () => {
    given(...histories.charging, facts.ServerOrderRefused)
      .when(inputs.accepted)
      .then(facts.ServerOrderFailureRecorded)
      .andReacts(returnUnit);
    given(...histories.charging, facts.ServerOrderRefused, facts.ServerOrderFailureRecorded)
      .when(inputs.accepted)
      .then(completed("refused"))
      .andReacts({ kind: "complete" });
  });

  it("needs no word to a server's stream that never heard of it", () => {
    given(...histories.reserving, outOfStock)
      .when(refuse("order-not-found"))
      .then(facts.ServerOrderFailureRecorded)
      .andReacts(returnUnit);
  });

  it.each(["charge-conflict", "deadline-exceeded", "overloaded", "internal"] as const)(
    "is not taken from %s, after which the account may have been charged: staff is asked",
    (code) => {
      given(...histories.charging)
        .when(refuse(code))
        .then(parkedFor(`${code}: ${rejection(code).message}`));
    },
  );

  it.each(["insufficient-balance", "order-not-found", "internal"] as const)(
    "is not taken from %s where a unit was asked for",
    (code) => {
      given(...histories.reserving)
        .when(refuse(code))
        .then(parkedFor(`${code}: ${rejection(code).message}`));
    },
  );
});

describe("a server that is not set up", () => {
  it("has its order fail on the server's stream, before any money goes back", () => {
    given(...histories.provisioning)
      .when(inputs.refused)
      .then(facts.ComputeOrderRefused)
      .andReacts(failOrder("No node has room"));
  });

  it("is refunded, then gives its unit back, then is over", () => {
    given(...histories.failing)
      .when(inputs.accepted)
      .then(facts.ServerOrderFailureRecorded)
      .andReacts(refundFor("No node has room"));
    given(...histories.refunding)
      .when(inputs.refunded)
      .then(facts.ServerOrderChargeReturned)
      .andReacts(returnUnit);
    given(...histories.returning)
      .when(inputs.accepted)
      .then(completed("failed"))
      .andReacts({ kind: "complete" });
  });

  it("is kept, with its charge, where an earlier owner recorded it", () => {
    const { state } = given(...histories.failing)
      .when(refuse("order-completed"))
      .then(completed("provisioned"));
    expect(state).toMatchObject({ status: "completed", answer: { kind: "provisioned", charge } });
  });

  it("keeps a reason of any form within a fact", () => {
    given(...histories.provisioning)
      .when({ type: "refused", reason: `two\nlines ${"x".repeat(5_000)}`, at })
      .then({ type: "ComputeOrderRefused", data: { reason: `two lines ${"x".repeat(490)}`, at } });
    given(...histories.provisioning)
      .when({ type: "refused", reason: " \0 ", at })
      .then({ type: "ComputeOrderRefused", data: { reason: "no reason given", at } });
  });
});
