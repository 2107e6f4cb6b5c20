import { describe, expect, it } from "vitest";
import { endsWithDelivery, runRoleOf } from "./run-events.ts";

describe("the role of an event in its run", () => {
  it.each([
    ["RegistrationStarted", "begun"],
    ["RenewalCharged", "charged"],
    ["ServerOrderUnitTaken", "prepared"],
    ["ServerRenewalParked", "suspended"],
    ["RegistrarOrderNotHeld", "notHeld"],
    ["ComputeServerDestroyed", "cancelled"],
    // Its role depends on its data.
    ["ServerRenewalNotRecorded", undefined],
    ["BalanceCharged", undefined],
  ])("of %s is %s", (type, role) => {
    expect(runRoleOf(type)).toBe(role);
  });

  it.each([
    ["RegistrationCompleted", "delivered", "refunded"],
    ["RenewalCompleted", "renewed", "failed"],
    ["ServerOrderCompleted", "provisioned", "failed"],
    ["ServerRenewalCompleted", "renewed", "refunded"],
  ])("%s ends with delivery if its outcome is %s, and not with %s", (type, done, undone) => {
    expect(endsWithDelivery({ type, data: { outcome: done } })).toBe(true);
    expect(endsWithDelivery({ type, data: { outcome: undone } })).toBe(false);
  });

  it("ends a run for no other event", () => {
    expect(endsWithDelivery({ type: "RegistrationAbandoned", data: { reason: "delivered" } })).toBe(false);
    expect(endsWithDelivery({ type: "TicketOpened", data: { outcome: undefined } })).toBe(false);
  });
});
