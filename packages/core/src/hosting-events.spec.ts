import { describe, expect, it } from "vitest";

import { isForeign, unreadableKind } from "./hosting-events.ts";
import { UnreadableEventError } from "./kernel/unreadable-event-error.ts";

const ours = JSON.stringify({ correlationId: "c", actor: "staff", recordedBy: "account-service" });

describe("a stored event", () => {
  it.each([
    ["CrmNoteTaken", "{}"],
    ["CrmNoteTaken.v1", ""],
    ["CrmNoteTaken.v1", "none"],
    ["CrmNoteTaken.v1", "null"],
    ["CrmNoteTaken", '{"$correlationId":"c","actor":"crm"}'],
    ["CrmNoteTaken", '{"recordedBy":"crm","actor":7}'],
    ["balancecharged.v1", "{}"],
  ])("%s with the metadata %s is foreign", (type, metadata) => {
    expect(isForeign({ type, metadata })).toBe(true);
  });

  it.each([
    ["of our type without metadata", "BalanceCharged.v1", "{}", "damaged"],
    ["of our type with garbage for metadata", "BalanceCharged.v1", "none", "damaged"],
    ["of our type with our metadata", "BalanceCharged.v1", ours, "damaged"],
    ["of our name without a version", "BalanceCharged", "{}", "damaged"],
    ["of our name without a version, with our metadata", "BalanceCharged", ours, "damaged"],
    ["of a version to come without metadata", "BalanceCharged.v99", "", "damaged"],
    ["of a version to come with our metadata", "BalanceCharged.v99", ours, "newer"],
    ["of a name to come with our metadata", "BalancePledged.v1", ours, "newer"],
  ])("%s is an own event, and unreadable if it is damaged", (_what, type, metadata, kind) => {
    expect(isForeign({ type, metadata })).toBe(false);
    expect(unreadableKind({ type, metadata })).toBe(kind);
  });

  it("is named in the error by its place, once", () => {
    const event = { stream: "account-7", revision: 3n, position: 9n, id: "e-1", type: "BalanceCharged.v1" };
    const error = new UnreadableEventError(event, "damaged", "the data is not JSON");
    expect(error).toMatchObject({ stream: "account-7", revision: 3n, eventId: "e-1", kind: "damaged" });
    expect(error.at("elsewhere").message).toBe("account-7@3 (BalanceCharged.v1): the data is not JSON");
  });
});
