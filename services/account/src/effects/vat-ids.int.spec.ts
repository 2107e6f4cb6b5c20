import { sellerAggregate } from "@hostledger/core";
import {
  done,
  refused,
  VatIdChecks,
  vatIdLimits,
  type Outcome,
  type VatIdAnswer,
} from "@hostledger/providers";
import { accountExamples } from "@hostledger/core/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

const dutch = {
  ...accountExamples.organisationProfile,
  kind: "organisation",
  organisation: "Hosting BV",
  country: "NL",
  vatId: "NL004495445B01",
};
const { seller } = sellerAggregate.decider.initialState;
const weekMs = 7 * 86_400_000;

let service: AccountServiceFixture;
let asked: unknown[];
let answer: Outcome<VatIdAnswer>;
const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);

beforeEach(async () => {
  asked = [];
  answer = done({ isValid: true, consultationNumber: "WAPI1" });
  const register = {
    check(vatId: string, question: object) {
      asked.push({ vatId, ...question });
      return Promise.resolve(answer);
    },
  };
  service = await openAccountService({
    clock,
    vatIds: {
      checks: new VatIdChecks(register, clock),
      issuingTerms: () => Promise.resolve({ seller: { ...seller, country: "DE", vatId: "DE123456788" } }),
    },
  });
});
afterEach(() => service.close());

async function customer(changes: object = dutch) {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  const accounts = service.accounts({ kind: "account", accountId: Number(accountId), keyId: 1 });
  await accounts.changeProfile({ changes });
  return { accountId, accounts };
}

/** Does the due work, and returns the checks in an account's stream. */
async function checksOf(accountId: bigint): Promise<readonly object[]> {
  await service.projector.after(await service.store.lastPosition());
  await service.work.runDue();
  const events: object[] = [];
  for await (const { type, data } of service.store.read(`account-${String(accountId)}`))
    if (type.startsWith("VatIdChecked.")) events.push(JSON.parse(data) as object);
  return events;
}

describe("the VAT id of a company in another member state", () => {
  it("is checked after a profile change, and the answer is stored with its consultation number", async () => {
    const { accountId } = await customer();
    const [check, ...others] = await checksOf(accountId);
    expect(others).toEqual([]);
    expect(check).toMatchObject({ outcome: "valid", accountId: Number(accountId) });
    // Sealed with the person's key.
    expect(check).toMatchObject({
      vatId: expect.stringMatching(/^sealed:/),
      consultationNumber: expect.stringMatching(/^sealed:/),
    });
    expect(asked).toEqual([{ vatId: "NL004495445B01", name: "Hosting BV", askedBy: "DE123456788" }]);
  });

  it("is checked again after a week", async () => {
    const { accountId } = await customer();
    expect(await checksOf(accountId)).toHaveLength(1);
    expect(await checksOf(accountId)).toHaveLength(1);
    clock.advance(weekMs);
    expect(await checksOf(accountId)).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });

  it("without an answer is recorded as such, and checked again", async () => {
    answer = refused("unreachable", "VIES cannot be reached.");
    const { accountId, accounts } = await customer();
    expect(await checksOf(accountId)).toMatchObject([{ outcome: "unanswered" }]);
    // The customer's requests go on.
    await accounts.changeProfile({ changes: { city: "Utrecht" } });
    answer = done({ isValid: false, consultationNumber: "" });
    clock.advance(600_000);
    expect(await checksOf(accountId)).toMatchObject([{ outcome: "unanswered" }, { outcome: "invalid" }]);
  });

  it("costs ten questions a day, however often the customer changes it", async () => {
    const { accountId, accounts } = await customer();
    // Danish VAT ids: the check digit is modulus 11.
    const weights = [2, 7, 6, 5, 4, 3, 2, 1];
    const vatIds = Array.from({ length: 400 }, (_, at) => String(10_000_000 + at)).filter(
      (digits) => weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11 === 0,
    );
    expect(vatIds.length).toBeGreaterThan(30);
    for (const digits of vatIds.slice(0, 30)) {
      await accounts.changeProfile({ changes: { country: "DK", vatId: `DK${digits}` } });
      await checksOf(accountId);
    }
    expect(asked.length).toBe(vatIdLimits.perAccountAndDay);
  });

  it.each([
    ["at home", { ...dutch, country: "DE", vatId: "DE123456788" }],
    ["outside the Union", { ...dutch, country: "CH", vatId: "CHE107787577" }],
  ])("is not checked for a company %s", async (_where, changes) => {
    const { accountId } = await customer(changes);
    expect(await checksOf(accountId)).toEqual([]);
    expect(asked).toEqual([]);
  });
});
