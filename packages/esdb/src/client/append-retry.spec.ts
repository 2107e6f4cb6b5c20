import { status } from "@grpc/grpc-js";
import { EventStoreOverloadedError, EventStoreUnavailableError } from "@hostledger/store";
import { realTiming } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { Refusal } from "../codec/refusal.ts";
import { AppendRunner } from "./append-retry.ts";
import { classifyFailure } from "./client-failure.ts";
import { defaultLimits } from "./limits.ts";

const limits = { ...defaultLimits, inFlight: 2, waiting: 2, answerMs: 5, firstPauseMs: 0, longestPauseMs: 1 };
const traits = { repeatable: true, bytes: 1 };

/** Answers the scripted outcomes in turn: an error is thrown, `frozen` never answers, a promise is awaited. */
function script(...outcomes: readonly unknown[]): { send: () => Promise<unknown>; sent: () => number } {
  let sent = 0;
  const send = (): Promise<unknown> => {
    const outcome = outcomes[Math.min(sent, outcomes.length - 1)];
    sent += 1;
    if (outcome === "frozen") return Promise.withResolvers<unknown>().promise;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  return { send, sent: () => sent };
}

function failure(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}
const down = failure("connect failed", { code: 14 });
const starting = failure("Could not recognize Server Is Not Ready", { code: 2 });

describe("classifyFailure", () => {
  it.each([
    ["not-ready", starting],
    ["not-ready", new Refusal(status.NOT_FOUND, "", "not-leader")],
    ["unknown-outcome", down],
    ["unknown-outcome", failure("", { code: 4 })],
    ["unknown-outcome", failure("Consumer too slow", { code: 10 })],
    ["unknown-outcome", failure("13 INTERNAL: Received RST_STREAM with code 2", { code: 13 })],
    ["unauthorised", failure("", { code: 16 })],
    ["unauthorised", new Refusal(status.PERMISSION_DENIED, "", "access-denied")],
    ["certificate", failure("No connection established. Last error: self-signed certificate", { code: 14 })],
    ["stream-deleted", new Refusal(status.FAILED_PRECONDITION, "", "stream-deleted")],
    ["refused", failure("", { code: 3 })],
    ["refused", new Error("no code")],
    ["refused", "text"],
  ])("returns %s", (expected, thrown) => {
    expect(classifyFailure(thrown)).toBe(expected);
  });
});

describe("the append runner", () => {
  it("repeats after a lost connection, a starting server and a frozen one", async () => {
    const { send, sent } = script(down, starting, "frozen", "stored");
    expect(await new AppendRunner(limits).run(send, traits)).toBe("stored");
    expect(sent()).toBe(4);
  });

  it("accepts the late answer of an attempt that was repeated", async () => {
    const late = Promise.withResolvers<string>();
    let sent = 0;
    const answer = new AppendRunner(limits).run(() => {
      sent += 1;
      if (sent === 3) late.resolve("the first one's");
      return sent === 1 ? late.promise : Promise.withResolvers<string>().promise;
    }, traits);
    expect(await answer).toBe("the first one's");
  });

  it("reports an unknown outcome when its time is over", async () => {
    const { send, sent } = script(down);
    const run = new AppendRunner({ ...limits, overallMs: 30 }).run(send, traits);
    await expect(run).rejects.toBeInstanceOf(EventStoreUnavailableError);
    expect(sent()).toBeGreaterThan(1);
  });

  it("sends an append once that is unsafe to repeat, unless the server received nothing", async () => {
    const unsafe = { ...traits, repeatable: false };
    const { send, sent } = script(starting, down, "stored");
    await expect(new AppendRunner(limits).run(send, unsafe)).rejects.toBeInstanceOf(
      EventStoreUnavailableError,
    );
    expect(sent()).toBe(2);
  });

  it("does not repeat a refusal", async () => {
    const refusal = failure("", { code: 3 });
    const { send, sent } = script(refusal, "stored");
    await expect(new AppendRunner(limits).run(send, traits)).rejects.toBe(refusal);
    expect(sent()).toBe(1);
  });

  it("queues a limited number in order, refuses one more, and frees the places afterwards", async () => {
    const runner = new AppendRunner({ ...limits, answerMs: 60_000 });
    const gate = Promise.withResolvers<string>();
    const sent: number[] = [];
    const running = [0, 1, 2, 3].map((number) =>
      runner.run(() => {
        sent.push(number);
        return gate.promise;
      }, traits),
    );
    const { send, sent: extra } = script("stored");
    await expect(runner.run(send, traits)).rejects.toBeInstanceOf(EventStoreOverloadedError);
    expect([sent, extra()]).toEqual([[0, 1], 0]);
    gate.resolve("done");
    await Promise.all(running);
    expect(sent).toEqual([0, 1, 2, 3]);
    expect(await runner.run(send, traits)).toBe("stored");
  });

  it("limits the bytes at the server and in the queue, and sends a large append alone", async () => {
    const runner = new AppendRunner({ ...limits, inFlightBytes: 10, waitingBytes: 10, answerMs: 60_000 });
    const gate = Promise.withResolvers<string>();
    const large = runner.run(() => gate.promise, { repeatable: true, bytes: 50 });
    const { send, sent } = script("stored");
    const waiting = runner.run(send, { repeatable: true, bytes: 10 });
    await expect(runner.run(send, traits)).rejects.toBeInstanceOf(EventStoreOverloadedError);
    expect(sent()).toBe(0);
    gate.resolve("large");
    expect(await Promise.all([large, waiting])).toEqual(["large", "stored"]);
  });

  it("resolves when everything is done", async () => {
    const runner = new AppendRunner(limits);
    await runner.drained();
    const gate = Promise.withResolvers<string>();
    const running = runner.run(() => gate.promise, traits);
    let drained = false;
    const waiting = runner.drained().then(() => {
      drained = true;
    });
    await realTiming.sleep(1);
    expect(drained).toBe(false);
    gate.resolve("done");
    await Promise.all([running, waiting]);
  });
});
