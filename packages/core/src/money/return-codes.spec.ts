import { expect, it } from "vitest";

import { accountCodec } from "../account/account.events.ts";
import { bankCodec } from "../bank/bank.events.ts";
import { isReturnCode, returnCodeIn, sentenceOfReturn } from "./return-codes.ts";

it.each(["", "AC04", "X"])("a bank's code is taken: %j", (code) => {
  expect(isReturnCode(code)).toBe(true);
});

it.each(["AC045", "ac04", "AC 4", "Ada Löwe has died"])("what is no code is refused: %j", (words) => {
  expect(isReturnCode(words)).toBe(false);
});

it("a sentence has the code, and its meaning if customers may read it", () => {
  expect(sentenceOfReturn("AC04")).toBe("The bank returned the transfer: the account is closed (AC04).");
  expect(sentenceOfReturn("MD07")).toBe("The bank returned the transfer (MD07).");
  expect(sentenceOfReturn("")).toBe("The bank returned the transfer.");
});

it("the bank's words in older events are read as the code alone", () => {
  const at = "2026-11-29T10:00:00.000000Z";
  for (const [words, code] of [
    ["MD07 Ada Löwe has died", "MD07"],
    ["no reason was given", ""],
    ["", ""],
  ] as const) {
    expect(returnCodeIn(words)).toBe(code);
    const of = { accountId: 7, amountCents: "2000", reason: words, returnedAt: at };
    const payout = JSON.stringify({ ...of, endToEndId: "k3x7m2-P1", entryId: 3 });
    expect(bankCodec.decode("PayoutReturned.v1", payout).data).toMatchObject({ returnCode: code });
    const balance = { ...of, to: "bank", reference: "k3x7m2-P1", balanceAfterCents: "2000" };
    const decoded = accountCodec.decode("PaidOutReturned.v1", JSON.stringify(balance));
    expect(decoded.data).toMatchObject({ reason: sentenceOfReturn(code) });
    const refund = accountCodec.decode("PaidOutReturned.v1", JSON.stringify({ ...balance, to: "source" }));
    expect(refund.data).toMatchObject({ reason: words });
  }
});
