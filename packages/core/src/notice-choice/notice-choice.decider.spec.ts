import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import {
  mailStopOf,
  noticeChoices,
  type ChooseMailKinds,
  type RecordMailBounce,
  type SetLowBalanceThreshold,
} from "./notice-choice.decider.ts";
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

describe("the kinds of which an account gets mail", () => {
  const chosen = (kinds: string[] | null): NoticeChoiceEvent => ({
    type: "MailKindsChosen",
    data: { accountId: 7, kinds, chosenAt: at },
  });
  const choose = (kinds: ChooseMailKinds["data"]["kinds"]): ChooseMailKinds => ({
    type: "ChooseMailKinds",
    data: { accountId: 7, kinds, at },
  });

  it("are all, some or none", () => {
    spec.given().when(choose([])).then(chosen([]));
    spec
      .given(chosen([]))
      .when(choose(["key.created"]))
      .then(chosen(["key.created"]));
    spec.given(chosen([])).when(choose(null)).then(chosen(null));
  });

  it("add no event if they are unchanged, in any order, and keep the threshold", () => {
    spec.given().when(choose(null)).thenNothing();
    spec
      .given(chosen(["key.created", "ticket.opened"]))
      .when(choose(["ticket.opened", "key.created"]))
      .thenNothing();
    spec.given(setTo("2000"), chosen([])).when(set(2_000n)).thenNothing();
  });
});

describe("bounced mail", () => {
  const bounce = (noticeId: string): RecordMailBounce => ({
    type: "RecordMailBounce",
    data: { accountId: 7, noticeId, email: "Ada@example.org", status: "5.1.1", at },
  });
  const bounced = (noticeId: string): NoticeChoiceEvent => ({
    type: "MailBounced",
    data: { accountId: 7, noticeId, email: "Ada@example.org", status: "5.1.1", bouncedAt: at },
  });
  const resume = { type: "ResumeMail", data: { accountId: 7, at } } as const;
  const resumed: NoticeChoiceEvent = { type: "MailResumed", data: { accountId: 7, resumedAt: at } };

  it("is stored once per notice, until mail is resumed", () => {
    spec.given().when(bounce("msg_1")).then(bounced("msg_1"));
    spec.given(bounced("msg_1")).when(bounce("msg_1")).thenNothing();
    spec.given(bounced("msg_1")).when(bounce("msg_2")).then(bounced("msg_2"));
    spec.given(bounced("msg_1")).when(resume).then(resumed);
    spec.given().when(resume).thenNothing();
    spec.given(bounced("msg_1"), resumed).when(resume).thenNothing();
  });

  it("stops mail to that address, and to no other", () => {
    const state = noticeChoices.evolve(noticeChoices.initialState, bounced("msg_1"));
    expect(mailStopOf(state, "ada@Example.org")).toMatchObject({ status: "5.1.1", bouncedAt: at });
    expect(mailStopOf(state, "new@example.org")).toBeUndefined();
    expect(mailStopOf(noticeChoices.evolve(state, resumed), "ada@example.org")).toBeUndefined();
  });
});

describe("the threshold below which an account is notified", () => {
  it("is set, changed and taken back", () => {
    spec.given().when(set(2_000n)).then(setTo("2000"));
    spec.given(setTo("2000")).when(set(500n)).then(setTo("500"));
    spec.given(setTo("2000")).when(set(null)).then(setTo(null));
    spec.given(setTo("2000"), setTo(null)).when(set(2_000n)).then(setTo("2000"));
  });

  it("adds no event if it is unchanged", () => {
    spec.given().when(set(null)).thenNothing();
    spec.given(setTo("2000")).when(set(2_000n)).thenNothing();
  });
});
