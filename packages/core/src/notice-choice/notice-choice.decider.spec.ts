import { describe, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { noticeChoices, type SetLowBalanceThreshold } from "./notice-choice.decider.ts";
import type { NoticeChoiceEvent } from "./notice-choice.events.ts";

const spec = deciderSpec(noticeChoices);
const at = "2026-11-23T09:00:00.000000Z";

const setTo = (thresholdCents: string | null): NoticeChoiceEvent => ({
  type: "LowBalanceThresholdSet",
  data: { accountId: 7, thresholdCents, setAt: at },
});
const set = (threshold: bigint | null): SetLowBalanceThreshold => ({
  type: "SetLowBalanceThreshold",
  data: { accountId: 7, threshold, at },
});

describe("the threshold below which an account is notified", () => {
  it("is set, changed and taken back", () => {
    spec.given().when(set(2_000n)).then(setTo("2000"));
    spec.given(setTo("2000")).when(set(500n)).then(setTo("500"));
    spec.given(setTo("2000")).when(set(null)).then(setTo(null));
    spec.given(setTo("2000"), setTo(null)).when(set(2_000n)).then(setTo("2000"));
  });

  it("is no fact where it stays as it is", () => {
    spec.given().when(set(null)).thenNothing();
    spec.given(setTo("2000")).when(set(2_000n)).thenNothing();
  });
});
