import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { approval, approvalOf, openApprovalLimit, type ApprovalCommand } from "./approval.decider.ts";
import type { ApprovalEvent, ApprovalRequest } from "./approval.events.ts";

const spec = deciderSpec(approval);
const at = "2026-11-22T10:00:00.000000Z";
const expiresAt = "2026-11-29T10:00:00.000000Z";
const asked: Omit<ApprovalRequest, "approvalId" | "requestedAt"> = {
  accountId: 7,
  kind: "top-up",
  amountCents: "100001",
  reference: "R-1",
  reason: "",
  debtAllowed: false,
  iban: "",
  requestedBy: "anna",
  expiresAt,
};

const request = (data: Partial<typeof asked & { at: string }> = {}): ApprovalCommand => ({
  type: "RequestApproval",
  data: { ...asked, at, ...data },
});
const requested = (approvalId: number, data: Partial<typeof asked> = {}): ApprovalEvent => ({
  type: "ApprovalRequested",
  data: { approvalId, ...asked, ...data, requestedAt: at },
});
const grant = (grantedBy: string, approvalId = 1, when = at): ApprovalCommand => ({
  type: "GrantApproval",
  data: { approvalId, grantedBy, at: when },
});
const granted = (grantedBy: string, approvalId = 1): ApprovalEvent => ({
  type: "ApprovalGranted",
  data: { approvalId, grantedBy, grantedAt: at },
});

describe("a credit that needs a second person", () => {
  it("is requested once, despite repeats", () => {
    spec.given().when(request()).then(requested(1));
    spec
      .given(requested(1))
      .when(request({ requestedBy: "ben" }))
      .then();
    spec.given(requested(1), granted("ben")).when(request()).then();
    spec
      .given(requested(1))
      .when(request({ amountCents: "5" }))
      .then(requested(2, { amountCents: "5" }));
  });

  it("is requested again if it may leave a debt", () => {
    const debit = { kind: "debit", reason: "Returned" } as const;
    spec
      .given(requested(1, debit), granted("ben"))
      .when(request({ ...debit, debtAllowed: true }))
      .then(requested(2, { ...debit, debtAllowed: true }));
  });

  it("is requested again if it is a refund with another reason", () => {
    const refund = { kind: "refund", reference: "registration-1", reason: "Outage" } as const;
    spec.given(requested(1, refund), granted("ben")).when(request(refund)).then();
    spec
      .given(requested(1, refund), granted("ben"))
      .when(request({ ...refund, reason: "Another outage" }))
      .then(requested(2, { ...refund, reason: "Another outage" }));
  });

  it("is approved by another person, once", () => {
    spec.given(requested(1)).when(grant("ben")).then(granted("ben"));
    spec.given(requested(1), granted("ben")).when(grant("carl")).then();
    spec.given(requested(1)).when(grant("ben", 2)).thenRejected("not-found");
  });

  it.each(["anna", "Anna"])("cannot be approved by %s, who requested it", (name) => {
    spec.given(requested(1)).when(grant(name)).thenRejected("unauthorized");
  });

  it("expires, and can then be requested again", () => {
    const late = "2026-11-29T10:00:00.000000Z";
    spec
      .given(requested(1))
      .when(grant("ben", 1, "2026-11-29T09:59:59.999999Z"))
      .then({
        type: "ApprovalGranted",
        data: { approvalId: 1, grantedBy: "ben", grantedAt: "2026-11-29T09:59:59.999999Z" },
      });
    spec
      .given(requested(1))
      .when(grant("ben", 1, late))
      .thenRejected("validation-failed");
    const again = { ...asked, expiresAt: "2026-12-06T10:00:00.000000Z" };
    spec
      .given(requested(1))
      .when({ type: "RequestApproval", data: { ...again, at: late } })
      .then({ type: "ApprovalRequested", data: { approvalId: 2, ...again, requestedAt: late } });
  });

  it("is identified by its account, kind, amount and reference", () => {
    const state = [requested(1)].reduce(approval.evolve, approval.initialState);
    expect(approvalOf(state, asked, at)?.approvalId).toBe(1);
    for (const other of [
      { accountId: 8 },
      { amountCents: "1" },
      { reference: "R-2" },
      { kind: "credit" },
    ] as const)
      expect(approvalOf(state, { ...asked, ...other }, at)).toBeUndefined();
    expect(approvalOf(state, asked, expiresAt)).toBeUndefined();
  });

  it("is refused if too many others wait", () => {
    const many = Array.from({ length: openApprovalLimit }, (_, index) =>
      requested(index + 1, { reference: `R-${String(index)}` }),
    );
    spec
      .given(...many)
      .when(request({ reference: "one more" }))
      .thenRejected("validation-failed");
  });

  it("is corrupt if it was approved twice, or before a request", () => {
    for (const events of [[granted("ben")], [requested(1), granted("ben"), granted("carl")]])
      expect(() => events.reduce(approval.evolve, approval.initialState)).toThrow(CorruptStreamError);
  });
});
