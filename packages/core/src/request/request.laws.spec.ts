import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { request, type RequestCommand, type RequestState } from "./request.decider.ts";
import { requestCodec, type RequestEvent } from "./request.events.ts";
import { at, fingerprint, later, otherFingerprint } from "./request.fixture.ts";

/** Few values, so that repeats, races and conflicts are common. */
const anyFingerprint = fc.constantFrom(fingerprint, otherFingerprint);
const anyOperation = fc.constantFrom("operation-1", "operation-2", "operation-3");
const anyOwner = fc.constantFrom("one", "two");
const anyInstant = fc.constantFrom(at, later);

const anyCommand: fc.Arbitrary<RequestCommand> = fc.oneof(
  fc.record({
    type: fc.constant("BeginRequest" as const),
    data: fc.record({
      accountId: fc.constant(7),
      fingerprint: anyFingerprint,
      operationId: anyOperation,
      owner: anyOwner,
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("TakeOverRequest" as const),
    data: fc.record({
      fingerprint: anyFingerprint,
      operationId: anyOperation,
      from: anyOwner,
      owner: anyOwner,
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("AnswerRequest" as const),
    data: fc.record({
      operationId: anyOperation,
      accountId: fc.constant(7),
      status: fc.oneof(fc.constantFrom(200, 500), fc.double()),
      body: fc.string(),
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("ReleaseRequest" as const),
    data: fc.record({ operationId: anyOperation, at: anyInstant }),
  }),
);

interface Step {
  readonly command: RequestCommand;
  readonly before: RequestState;
  readonly after: RequestState;
  readonly added: readonly RequestEvent[];
  readonly accepted: boolean;
}

function tell(commands: readonly RequestCommand[]): readonly Step[] {
  let state = request.initialState;
  return commands.map((command) => {
    const before = state;
    const decision = request.decide(command, before);
    const added = decision.accepted ? decision.events : [];
    state = added.reduce(request.evolve, before);
    return { command, before, after: state, added, accepted: decision.accepted };
  });
}

function check(law: (given: readonly Step[]) => void): void {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 30 }), (commands) => {
      law(tell(commands));
    }),
    { numRuns: 500 },
  );
}

describe("the laws of a key", () => {
  test("there is at most one outcome, and it never changes", () => {
    check((given) => {
      const outcomes = given.flatMap(({ after }) => (after.status === "answered" ? [after.outcome] : []));
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    });
  });

  test("one request owns the key at a time, until it is released", () => {
    check((given) => {
      for (const { before, after, added } of given) {
        if (before.status === "free" || after.status === "free") continue;
        expect([after.operationId, after.fingerprint]).toEqual([before.operationId, before.fingerprint]);
        expect(added.map(({ type }) => type)).not.toContain("RequestBegun");
      }
    });
  });

  test("each request that begins has its own fingerprint and owner", () => {
    check((given) => {
      for (const { command, after, accepted } of given) {
        if (!accepted || (command.type !== "BeginRequest" && command.type !== "TakeOverRequest")) continue;
        if (after.status === "free") throw new Error("the key is free after it was given out");
        expect(after.fingerprint).toBe(command.data.fingerprint);
        if (after.status === "running") expect(after.owner).toBe(command.data.owner);
      }
    });
  });

  test("a request that was taken over is never released", () => {
    check((given) => {
      for (const { before, after } of given)
        if (before.status === "running" && before.takenOver) expect(after.status).not.toBe("free");
    });
  });

  test("a command repeated at once changes nothing and gets the same answer", () => {
    check((given) => {
      for (const { command, after, accepted } of given) {
        const again = request.decide(command, after);
        expect(again.accepted).toBe(accepted);
        expect(again.accepted ? again.events : []).toEqual([]);
      }
    });
  });

  test("decided events can be stored and read back unchanged", () => {
    check((given) => {
      for (const { type, data } of given.flatMap(({ added }) => added)) {
        const stored = JSON.stringify(data);
        expect(requestCodec.decode(requestCodec.storedType(type), stored)).toEqual({ type, data });
      }
    });
  });
});
