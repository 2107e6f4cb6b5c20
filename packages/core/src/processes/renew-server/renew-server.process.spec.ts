import { describe, expect, it, test } from "vitest";

import { addMilliseconds } from "../../calendar/calendar.ts";
import { rejection, type RejectionCode } from "../../kernel/rejection.ts";
import { processSpec } from "../../testing/process-spec.ts";
import type { ServerRenewalEvent } from "./renew-server.events.ts";
import {
  at,
  charge,
  facts,
  histories,
  inputs,
  outcome,
  outcomeRunning,
  soon,
} from "./renew-server.fixture.ts";
import type { ServerRenewalInput } from "./renew-server.inputs.ts";
import { renewServer, resumptionSchedule } from "./renew-server.process.ts";
import { react } from "./renew-server.reaction.ts";
import {
  serverRenewalAnswer,
  type ServerRenewalAnswer,
  type ServerRenewalState,
} from "./renew-server.state.ts";

const { given } = processSpec(renewServer, react);

const chargeAccount = {
  kind: "begin",
  command: {
    to: "account",
    order: {
      type: "ChargeBalance",
      accountId: 7,
      chargeId: "n-1",
      action: "renewal",
      lines: [
        {
          description:
            "Renewal of a server S, 3 months, 9.99 EUR a month, 5 % discount, 10 % surcharge while suspended",
          quantity: 1,
          unitNetCents: 3_132n,
        },
      ],
      pricesIncludeVat: true,
      duration: 3,
      serverId: 5,
      planId: 2,
    },
  },
} as const;
const recordRenewed = {
  kind: "send",
  command: {
    to: "server",
    serverId: 5,
    order: { type: "RecordServerRenewed", data: { renewalId: "n-1", months: 3, ...charge } },
  },
} as const;
const findRenewal = {
  kind: "compensate",
  command: { to: "server", serverId: 5, order: { type: "FindRenewal", data: { renewalId: "n-1" } } },
} as const;
const startServer = { kind: "call", request: { type: "resume", serverId: 5 } } as const;

const refuse = (code: RejectionCode): ServerRenewalInput => ({
  type: "rejected",
  rejection: rejection(code),
  at,
});
const refundFor = (reason: string): ReturnType<typeof react> => ({
  kind: "compensate",
  command: { to: "account", order: { type: "RefundCharge", accountId: 7, chargeId: "n-1", reason } },
});
const completed = (result: "renewed" | "refused" | "refunded"): ServerRenewalEvent => ({
  type: "ServerRenewalCompleted",
  data: { outcome: result, at },
});
const parkedFor = (reason: string): ServerRenewalEvent => ({
  type: "ServerRenewalParked",
  data: { reason, at },
});
const notRecorded = (code: string | null, message: string): ServerRenewalEvent => ({
  type: "ServerRenewalNotRecorded",
  data: { code, message, at },
});

function after(...history: readonly ServerRenewalEvent[]): ServerRenewalState {
  return history.reduce(renewServer.evolve, renewServer.initialState);
}

describe("a renewal that goes well", () => {
  it("stores its price before it charges it", () => {
    given().when(inputs.requested).then(facts.ServerRenewalStarted).andReacts(chargeAccount);
  });

  it("tells the server's stream what was paid", () => {
    given(...histories.charging)
      .when(inputs.charged)
      .then(facts.ServerRenewalCharged)
      .andReacts(recordRenewed);
  });

  it("is complete with a server that was running", () => {
    given(...histories.recording)
      .when({ type: "renewed", outcome: outcomeRunning, at })
      .then({ type: "ServerRenewalRecorded", data: { ...outcomeRunning, at } }, completed("renewed"))
      .andReacts({ kind: "complete" });
  });

  it("starts a server that was suspended", () => {
    given(...histories.recording)
      .when(inputs.renewed)
      .then(facts.ServerRenewalRecorded)
      .andReacts(startServer);
    given(...histories.resuming)
      .when(inputs.done)
      .then(completed("renewed"))
      .andReacts({ kind: "complete" });
  });

  it.each(["refused", "unknown"] as const)("starts it again after an answer that is %s", (type) => {
    const { reason } = inputs[type];
    given(...histories.resuming)
      .when(inputs[type])
      .then({ type: "ServerResumptionFailed", data: { reason, nextAttemptAt: soon, at } })
      .andReacts({ ...startServer, notBefore: soon });
    given(...histories.resuming, facts.ServerResumptionFailed)
      .when(inputs[type])
      .then({
        type: "ServerResumptionFailed",
        data: { reason, nextAttemptAt: addMilliseconds(at, 2_000), at },
      });
  });

  it("is for staff when the server does not start for two days, and tried anew on their word", () => {
    let state = after(...histories.resuming);
    for (let count = 1; count < resumptionSchedule.limit; count += 1) {
      state = renewServer.decide(inputs.unknown, state).reduce(renewServer.evolve, state);
    }
    expect(state.status).toBe("resuming");
    const parked = renewServer.decide(inputs.unknown, state);
    expect(parked).toEqual([parkedFor("The server could not be started again: No answer")]);
    state = parked.reduce(renewServer.evolve, state);
    const retried = renewServer.decide(inputs.retried, state).reduce(renewServer.evolve, state);
    expect(retried).toMatchObject({ status: "resuming", attempts: 0, notBefore: undefined });
  });
});

describe("a charge that is refused", () => {
  it("keeps the account's figures, and makes sure that nothing is charged before anybody is told", () => {
    const insufficient = rejection("insufficient-balance", undefined, {
      requiredCents: 3_132n,
      availableCents: 1_000n,
    });
    given(...histories.charging)
      .when({ type: "rejected", rejection: insufficient, at })
      .then(facts.ServerRenewalChargeRefused)
      .andReacts(refundFor(insufficient.message));
    const refused = [...histories.charging, facts.ServerRenewalChargeRefused];
    expect(serverRenewalAnswer(after(...refused))).toBeUndefined();
    given(...refused)
      .when(refuse("charge-not-found"))
      .then(facts.ServerRenewalNeverCharged, completed("refused"))
      .andReacts({ kind: "complete" });
    given(...refused)
      .when(inputs.refunded)
      .then(facts.ServerRenewalChargeReturned, completed("refused"));
  });

  it.each(["charge-conflict", "deadline-exceeded", "overloaded", "internal"] as const)(
    "is not taken from %s, after which the account may have been charged: staff is asked",
    (code) => {
      given(...histories.charging)
        .when(refuse(code))
        .then(parkedFor(`${code}: ${rejection(code).message}`));
    },
  );
});

describe("a server that cannot be renewed", () => {
  it.each(["not-found", "server-not-active", "validation-failed"] as const)(
    "because it is %s has its charge returned",
    (code) => {
      const { message } = rejection(code);
      given(...histories.recording)
        .when(refuse(code))
        .then(notRecorded(code, message))
        .andReacts(refundFor(message));
    },
  );

  it("is over with the refund", () => {
    given(...histories.refunding)
      .when(inputs.refunded)
      .then(facts.ServerRenewalChargeReturned, completed("refunded"))
      .andReacts({ kind: "complete" });
  });

  it("for a reason nobody foresaw is for staff", () => {
    given(...histories.recording)
      .when(refuse("unauthorized"))
      .then(parkedFor("unauthorized: This action is unauthorized."));
  });
});

describe("a run that waits for staff", () => {
  const why = "The customer called";
  const parkedIn = (status: keyof typeof histories): readonly ServerRenewalEvent[] => [
    ...histories[status],
    facts.ServerRenewalParked,
  ];

  it("goes on where it was", () => {
    given(...histories.recording)
      .when(inputs.failed)
      .then(facts.ServerRenewalParked)
      .andReacts({ kind: "park", reason: "The service is down" });
    given(...parkedIn("recording"))
      .when(inputs.retried)
      .then(facts.ServerRenewalUnparked)
      .andReacts(recordRenewed);
  });

  it.each(["charging", "recording"] as const)(
    "abandoned in %s: it looks whether the server was renewed before anything goes back",
    (status) => {
      const abandoned = [...parkedIn(status), facts.ServerRenewalAbandoned];
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.ServerRenewalAbandoned)
        .andReacts(findRenewal);
      given(...abandoned)
        .when({ type: "renewed", outcome: outcomeRunning, at })
        .then({ type: "ServerRenewalRecorded", data: { ...outcomeRunning, at } }, completed("renewed"));
      given(...abandoned)
        .when(inputs["not-renewed"])
        .then(notRecorded(null, why))
        .andReacts(refundFor(why));
    },
  );

  it("abandoned around the charge: there may be nothing to return", () => {
    const history = [...parkedIn("charging"), facts.ServerRenewalAbandoned, notRecorded(null, why)];
    given(...history)
      .when(refuse("charge-not-found"))
      .then(facts.ServerRenewalNeverCharged, completed("refunded"));
    given(...history)
      .when(inputs.refunded)
      .then(facts.ServerRenewalChargeReturned, completed("refunded"));
  });

  it("is not told that a charge it knows of is missing: that is for staff", () => {
    given(...histories.refunding)
      .when(refuse("charge-not-found"))
      .then(parkedFor("charge-not-found: There is no such charge to refund."));
  });

  it("abandoned while it undoes: it goes on undoing", () => {
    given(...parkedIn("withdrawing"))
      .when(inputs.abandoned)
      .then(facts.ServerRenewalAbandoned)
      .andReacts(findRenewal);
    given(...parkedIn("refunding"))
      .when(inputs.abandoned)
      .then(facts.ServerRenewalAbandoned)
      .andReacts(refundFor("There is no such resource."));
  });

  it("abandoned while the server is started: it stays renewed", () => {
    given(...parkedIn("resuming"))
      .when(inputs.abandoned)
      .then(facts.ServerRenewalAbandoned, completed("renewed"))
      .andReacts({ kind: "complete" });
  });

  it("keeps a reason of any form within a fact", () => {
    given(...parkedIn("charging"))
      .when({ type: "abandoned", reason: ` two\n\ud800 ${"x".repeat(5_000)}`, at })
      .then({ type: "ServerRenewalAbandoned", data: { reason: `two \ufffd ${"x".repeat(493)}`, at } });
  });
});

describe("the answer to the customer", () => {
  const renewed: ServerRenewalAnswer = { kind: "renewed", ...outcome };
  const unsettled: ServerRenewalAnswer = { kind: "unsettled", message: "The service is down" };
  const { at: _, ...refusal } = facts.ServerRenewalChargeRefused.data;

  const answers: Readonly<Record<ServerRenewalState["status"], ServerRenewalAnswer | undefined>> = {
    new: undefined,
    charging: undefined,
    recording: undefined,
    withdrawing: undefined,
    refunding: undefined,
    // The customer does not wait for the server to start.
    resuming: renewed,
    ending: renewed,
    parked: unsettled,
    completed: renewed,
  };
  const isStatus = (text: string): text is ServerRenewalState["status"] => text in answers;

  test.each(Object.keys(answers).filter(isStatus))("in %s", (status) => {
    expect(serverRenewalAnswer(after(...histories[status]))).toEqual(answers[status]);
  });

  test.each(["charging", "recording", "withdrawing", "refunding"] as const)(
    "when %s waits for staff is not certain",
    (status) => {
      expect(serverRenewalAnswer(after(...histories[status], facts.ServerRenewalParked))).toEqual(unsettled);
    },
  );

  it("is certain while the start waits for staff", () => {
    expect(serverRenewalAnswer(after(...histories.resuming, facts.ServerRenewalParked))).toEqual(renewed);
  });

  it.each<[string, readonly ServerRenewalEvent[], ServerRenewalAnswer]>([
    [
      "refused",
      [
        ...histories.charging,
        facts.ServerRenewalChargeRefused,
        facts.ServerRenewalNeverCharged,
        completed("refused"),
      ],
      { kind: "charge-refused", refusal },
    ],
    [
      "refunded",
      [...histories.refunding, facts.ServerRenewalChargeReturned, completed("refunded")],
      { kind: "not-renewable", code: "not-found", message: "There is no such resource." },
    ],
    [
      "abandoned",
      [
        ...histories.withdrawing,
        notRecorded(null, "The customer called"),
        facts.ServerRenewalChargeReturned,
        completed("refunded"),
      ],
      { kind: "abandoned", message: "The customer called" },
    ],
  ])("is kept when the run is long over and was %s", (_name, history, answer) => {
    expect(serverRenewalAnswer(after(...history))).toEqual(answer);
  });

  it("cannot be another one than the run came to", () => {
    const refused = [
      ...histories.charging,
      facts.ServerRenewalChargeRefused,
      facts.ServerRenewalNeverCharged,
    ];
    expect(() => after(...refused, completed("renewed"))).toThrow("corrupt stream");
    expect(() => after(...histories.resuming, completed("refunded"))).toThrow("corrupt stream");
  });
});
