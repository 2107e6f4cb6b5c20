import { describe, expect, it, test } from "vitest";

import type { ServerOrderEvent } from "./order-server.events.ts";
import { charge, facts, histories, started } from "./order-server.fixture.ts";
import { serverOrderAnswer, type ServerOrderAnswer, type ServerOrderState } from "./order-server.state.ts";
import { after, completed } from "./order-server.story.fixture.ts";

type Status = ServerOrderState["status"];

const provisioned: ServerOrderAnswer = { kind: "provisioned", serverId: 5, months: 3, charge };
const failed: ServerOrderAnswer = { kind: "compute-failed", reason: "No node has room" };
const unanswered: ServerOrderAnswer = { kind: "compute-failed", reason: "No answer" };
const unsettled: ServerOrderAnswer = { kind: "unsettled", reason: "The service is down" };

/** What the customer is told in each status; undefined while it is not certain. */
const answers: Readonly<Record<Status, ServerOrderAnswer | undefined>> = {
  new: undefined,
  reserving: undefined,
  placing: undefined,
  charging: undefined,
  provisioning: undefined,
  inquiring: undefined,
  recording: undefined,
  failing: undefined,
  refunding: undefined,
  settling: unanswered,
  destroying: unanswered,
  returning: undefined,
  parked: unsettled,
  completed: provisioned,
};

/** What the customer is told when the step of that status waits for staff. */
const parkedAnswers: Readonly<Record<Exclude<Status, "new" | "parked" | "completed">, ServerOrderAnswer>> = {
  reserving: unsettled,
  placing: unsettled,
  charging: unsettled,
  provisioning: unsettled,
  inquiring: unsettled,
  recording: unsettled,
  failing: unsettled,
  refunding: unsettled,
  settling: unanswered,
  destroying: unanswered,
  returning: failed,
};

function answerAfter(...history: readonly ServerOrderEvent[]): ServerOrderAnswer | undefined {
  return serverOrderAnswer(after(...history));
}

const isStatus = (text: string): text is Status => text in histories;

describe("the answer to the customer", () => {
  test.each(Object.keys(answers).filter(isStatus))("in %s", (status) => {
    expect(answerAfter(...histories[status])).toEqual(answers[status]);
  });

  test.each(Object.entries(parkedAnswers))("when %s waits for staff", (status, answer) => {
    if (!isStatus(status)) throw new Error(`${status} is no status`);
    expect(answerAfter(...histories[status], facts.ServerOrderParked)).toEqual(answer);
  });

  it("names no charge of a gift", () => {
    const gift = [started(null), facts.ServerOrderPlaced, facts.ComputeOrderCompleted];
    expect(answerAfter(...gift, facts.ServerOrderCompleted)).toEqual({ ...provisioned, charge: null });
  });

  it("says why there is no server, also when the run is long over", () => {
    const { at: _, ...refusal } = facts.ServerOrderRefused.data;
    const refused = [...histories.charging, facts.ServerOrderRefused, facts.ServerOrderFailureRecorded];
    expect(answerAfter(...refused, completed("refused"))).toEqual({ kind: "refused", refusal });
    expect(answerAfter(...histories.returning, completed("failed"))).toEqual(failed);
  });

  it("cannot be another one than the run came to", () => {
    expect(() => answerAfter(...histories.returning, completed("refused"))).toThrow("corrupt stream");
    expect(() => answerAfter(...histories.returning, completed("provisioned"))).toThrow("corrupt stream");
    expect(() => answerAfter(...histories.recording, completed("failed"))).toThrow("corrupt stream");
  });
});
