import { describe, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { storeRewind, type AcceptStoreRewind } from "./store-rewind.decider.ts";
import type { StoreRewindEvent } from "./store-rewind.events.ts";

const spec = deciderSpec(storeRewind);
const at = "2026-11-28T12:00:00.000000Z";
const lost = {
  rewindId: "one",
  stream: "account-7",
  revision: 4,
  eventId: "0b0d1c3e-5f5c-4d5f-9a3e-6f3f0a9d1c11",
  sequences: [{ sequence: "account", last: 7 }],
};
const noticed: StoreRewindEvent = { type: "StoreRewindNoticed", data: { ...lost, noticedAt: at } };
const accepting = (isForced = false, knownSeries = 0): AcceptStoreRewind => ({
  type: "AcceptStoreRewind",
  data: {
    reason: "the disk failed",
    sequences: [{ sequence: "account", last: 10_007 }],
    isForced,
    knownSeries,
    at,
  },
});
const accepted = (series: number, ...rewindIds: string[]): StoreRewindEvent => ({
  type: "StoreRewindAccepted",
  data: {
    rewindIds,
    series,
    sequences: [{ sequence: "account", last: 10_007 }],
    reason: "the disk failed",
    acceptedAt: at,
  },
});

describe("a store that was restored from an older backup", () => {
  it("is reported once by each process", () => {
    spec
      .given()
      .when({ type: "NoticeStoreRewind", data: { ...lost, at } })
      .then(noticed);
    spec
      .given(noticed)
      .when({ type: "NoticeStoreRewind", data: { ...lost, at } })
      .then();
  });

  it("is accepted once for all processes", () => {
    spec.given(noticed).when(accepting()).then(accepted(1, "one"));
    spec.given(noticed, accepted(1, "one")).when(accepting()).then();
  });

  it("begins a new series of documents each time", () => {
    spec.given(noticed, accepted(1, "one"), noticed).when(accepting()).then(accepted(2, "one"));
  });

  it("begins no series that a lost acceptance has begun", () => {
    spec.given().when(accepting(true, 2)).then(accepted(3));
    const sequences = [...lost.sequences, { sequence: "series", last: 4 }];
    const reported: StoreRewindEvent = {
      type: "StoreRewindNoticed",
      data: { ...lost, sequences, noticedAt: at },
    };
    spec.given(reported).when(accepting()).then(accepted(5, "one"));
  });

  it("may be accepted without a report, if staff or a restore noticed the loss first", () => {
    spec.given().when(accepting(true)).then(accepted(1));
  });
});
