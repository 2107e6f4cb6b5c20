import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { domain } from "./domain.decider.ts";
import { samples } from "./domain.fixture.ts";
import { domainStatusOf } from "./domain.state.ts";

const spec = deciderSpec(domain);
const zoned = [samples.RegistrationReserved, samples.DomainRegistered, samples.ZoneCreated] as const;

describe("a command of staff", () => {
  const at = "2026-05-01T10:00:00.000000Z";

  it.each([
    ["suspends", { type: "SetDomainSuspension", data: { suspended: true, at } }, [], samples.DomainSuspended],
    [
      "lifts",
      { type: "SetDomainSuspension", data: { suspended: false, at } },
      [samples.DomainSuspended],
      samples.DomainUnsuspended,
    ],
    [
      "lets go",
      { type: "SetDomainTransfer", data: { transferring: true, at } },
      [],
      samples.DomainTransferStarted,
    ],
    [
      "keeps",
      { type: "SetDomainTransfer", data: { transferring: false, at } },
      [samples.DomainTransferStarted],
      samples.DomainTransferEnded,
    ],
  ] as const)("%s, and can be repeated without an effect", (_, command, given, event) => {
    spec
      .given(...zoned, ...given)
      .when(command)
      .then(event);
    spec
      .given(...zoned, ...given, event)
      .when(command)
      .thenNothing();
    spec.given().when(command).thenRejected("not-found");
  });
});

describe("a suspension", () => {
  const at = "2026-05-01T10:00:00.000000Z";
  const suspend = (staffReason?: string) =>
    ({
      type: "SetDomainSuspension",
      data: { suspended: true, at, ...(staffReason !== undefined && { staffReason }) },
    }) as const;
  const suspended = (staffReason: string | null) =>
    ({ type: "DomainSuspended", data: { domainId: 3, staffReason, suspendedAt: at } }) as const;

  it("has staff's reason, which may come later and be replaced", () => {
    spec
      .given(...zoned)
      .when(suspend("Phishing"))
      .then(suspended("Phishing"));
    spec
      .given(...zoned, suspended(null))
      .when(suspend("Phishing"))
      .then(suspended("Phishing"));
    spec
      .given(...zoned, suspended("Phishing"))
      .when(suspend("Spam"))
      .then(suspended("Spam"));
    for (const again of [suspend(), suspend("Phishing")])
      spec
        .given(...zoned, suspended("Phishing"))
        .when(again)
        .thenNothing();
  });

  it.each([
    ["registrar", samples.DomainTakenOffline],
    [null, samples.DomainBroughtOnline],
  ] as const)(
    "that is carried out (%s) is recorded once, even if staff changed their decision meanwhile",
    (offline, event) => {
      const before = offline === null ? [samples.DomainSuspended, samples.DomainTakenOffline] : [];
      const command = {
        type: "RecordOffline",
        data: { offline, at: Object.values(event.data).at(-1) as string },
      } as const;
      spec
        .given(...zoned, ...before)
        .when(command)
        .then(event);
      spec
        .given(...zoned, ...before, event)
        .when(command)
        .thenNothing();
    },
  );
});

describe("a corrupt stream", () => {
  it.each([
    ["a lifted suspension without one", [samples.DomainUnsuspended]],
    ["an ended transfer without one", [samples.DomainTransferEnded]],
    ["a second suspension", [samples.DomainSuspended, samples.DomainSuspended]],
    ["one brought online that is", [samples.DomainBroughtOnline]],
    ["a second transfer", [samples.DomainTransferStarted, samples.DomainTransferStarted]],
  ])("is noticed: %s", (_, events) => {
    expect(() => [...zoned, ...events].reduce(domain.evolve, domain.initialState)).toThrow(
      CorruptStreamError,
    );
  });
});

describe("the status that is shown", () => {
  it("is expired before suspended before transferring", () => {
    const none = { suspended: false, transferring: false, expired: false };
    expect(domainStatusOf(none)).toBe("active");
    expect(domainStatusOf({ ...none, transferring: true })).toBe("transferring");
    expect(domainStatusOf({ ...none, transferring: true, suspended: true })).toBe("suspended");
    expect(domainStatusOf({ transferring: true, suspended: true, expired: true })).toBe("expired");
  });
});
