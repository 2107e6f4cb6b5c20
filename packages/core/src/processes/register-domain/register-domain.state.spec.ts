import { describe, expect, it, test } from "vitest";

import type { RegistrationEvent } from "./register-domain.events.ts";
import { charge, facts, histories } from "./register-domain.fixture.ts";
import { registerDomain } from "./register-domain.process.ts";
import {
  registrationAnswer,
  type RegistrationAnswer,
  type RegistrationState,
} from "./register-domain.state.ts";

type Status = RegistrationState["status"];

const registered: RegistrationAnswer = { kind: "registered", charge };
const registrarFailed: RegistrationAnswer = { kind: "registrar-failed", reason: "No answer" };
const unsettled: RegistrationAnswer = { kind: "unsettled", reason: "The service is down" };
const chargeRefused: RegistrationAnswer = {
  kind: "charge-refused",
  refusal: facts.RegistrationChargeRefused.data,
};

/** What the customer is told in each status; undefined while it is not certain. */
const answers: Readonly<Record<Status, RegistrationAnswer | undefined>> = {
  new: undefined,
  charging: undefined,
  ordering: undefined,
  inquiring: undefined,
  confirming: undefined,
  holding: undefined,
  refunding: undefined,
  releasing: undefined,
  settling: registrarFailed,
  cancelling: registrarFailed,
  delivering: registered,
  parked: unsettled,
  completed: registered,
};

/** What the customer is told when the step of that status waits for staff. */
const parkedAnswers: Readonly<Record<Exclude<Status, "new" | "parked" | "completed">, RegistrationAnswer>> = {
  charging: unsettled,
  ordering: unsettled,
  inquiring: unsettled,
  confirming: unsettled,
  holding: unsettled,
  refunding: unsettled,
  releasing: chargeRefused,
  settling: registrarFailed,
  cancelling: registrarFailed,
  delivering: registered,
};

function answerAfter(...history: readonly RegistrationEvent[]): RegistrationAnswer | undefined {
  return registrationAnswer(history.reduce(registerDomain.evolve, registerDomain.initialState));
}

const isStatus = (text: string): text is Status => text in histories;

describe("the answer to the customer", () => {
  test.each(Object.keys(answers).filter(isStatus))("in %s", (status) => {
    expect(answerAfter(...histories[status])).toEqual(answers[status]);
  });

  test.each(Object.entries(parkedAnswers))("when %s waits for staff", (status, answer) => {
    if (!isStatus(status)) throw new Error(`${status} is no status`);
    expect(answerAfter(...histories[status], facts.RegistrationParked)).toEqual(answer);
  });

  it("says why nothing was registered", () => {
    const refused: RegistrationEvent = {
      type: "RegistrationCompleted",
      data: { outcome: "refused", at: facts.ZoneDelivered.data.at },
    };
    expect(answerAfter(...histories.releasing, refused)).toEqual(chargeRefused);
  });
});
