import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { request, type RequestCommand } from "./request.decider.ts";
import { outcomeLimits, type RequestEvent } from "./request.events.ts";
import {
  answer,
  answered,
  begin,
  begun,
  later,
  otherFingerprint,
  release,
  released,
  takenOver,
  takeOver,
} from "./request.fixture.ts";

const spec = deciderSpec(request);

type Answer = readonly RequestEvent[] | "nothing" | NonNullable<Refusal>;
type Refusal = "idempotency-conflict" | "request-in-progress";

/** Histories that lead to different answers. */
const histories = {
  free: [],
  running: [begun()],
  takenOver: [begun(), takenOver()],
  answered: [begun(), answered()],
  released: [begun(), released()],
} as const satisfies Readonly<Record<string, readonly RequestEvent[]>>;

/** The answer to every command after every history. The type demands a cell for each new command and history. */
const table: Readonly<Record<RequestCommand["type"], Readonly<Record<keyof typeof histories, Answer>>>> = {
  BeginRequest: {
    free: [begun()],
    running: "nothing",
    takenOver: "request-in-progress",
    answered: "nothing",
    released: [begun()],
  },
  TakeOverRequest: {
    free: "request-in-progress",
    running: [takenOver()],
    takenOver: "nothing",
    answered: "nothing",
    released: "request-in-progress",
  },
  AnswerRequest: {
    free: "nothing",
    running: [answered()],
    takenOver: [answered()],
    answered: "nothing",
    released: "nothing",
  },
  ReleaseRequest: {
    free: "nothing",
    running: [released()],
    takenOver: "request-in-progress",
    answered: "idempotency-conflict",
    released: "nothing",
  },
};
const commands: readonly RequestCommand[] = [begin(), takeOver(), answer(), release()];
const cells = commands.flatMap((command) =>
  Object.entries(histories).map(([name, history]) => ({ command, name, history })),
);

function check(history: readonly RequestEvent[], command: RequestCommand, expected: Answer): void {
  const when = spec.given(...history).when(command);
  if (expected === "nothing") when.thenNothing();
  else if (typeof expected === "string") when.thenRejected(expected);
  else when.then(...expected);
}

describe("every command on an idempotency key in every state", () => {
  test.each(cells)("$command.type, $name", ({ command, name, history }) => {
    const row: Readonly<Record<string, Answer>> = table[command.type];
    const expected = row[name];
    if (expected === undefined) throw new Error(`no cell ${name}`);
    check(history, command, expected);
  });
});

describe("beginning", () => {
  it("is refused to another request while the first one runs, and after its answer", () => {
    const other = begin({ fingerprint: otherFingerprint });
    check([begun()], other, "idempotency-conflict");
    check([begun(), answered()], other, "idempotency-conflict");
  });

  it("is refused to another process while the first request runs", () => {
    check([begun()], begin({ owner: "two", operationId: "operation-2" }), "request-in-progress");
  });

  it("is refused to another operation of the same request, even of the same owner, because only one may have effects", () => {
    check([begun()], begin({ operationId: "operation-2" }), "request-in-progress");
    check([begun(), answered()], begin({ operationId: "operation-2" }), "request-in-progress");
  });

  it("is possible for any request after the key was released", () => {
    const data = { fingerprint: otherFingerprint, operationId: "operation-2", owner: "two" };
    check([begun(), released()], begin(data), [begun(data)]);
  });
});

describe("taking over", () => {
  it("does not replace a faster owner, nor another operation", () => {
    check([begun(), takenOver()], takeOver({ owner: "three" }), "request-in-progress");
    const again = begun({ operationId: "operation-2" });
    check([begun(), released(), again], takeOver(), "request-in-progress");
  });

  it("is refused to another request", () => {
    check([begun()], takeOver({ fingerprint: otherFingerprint }), "idempotency-conflict");
    check([begun(), answered()], takeOver({ fingerprint: otherFingerprint }), "idempotency-conflict");
  });

  it("restarts the owner's time", () => {
    const state = [begun(), takenOver()].reduce(request.evolve, request.initialState);
    expect(state).toMatchObject({ owner: "two", ownedSince: later });
  });
});

describe("answering", () => {
  it("stores the first outcome and ignores later ones", () => {
    check([begun(), answered()], answer({ status: 500, body: "{}" }), "nothing");
    const state = [begun(), answered()].reduce(request.evolve, request.initialState);
    expect(state).toMatchObject({ outcome: { status: 201, body: '{"status":true}' } });
  });

  it("adds nothing for an operation that does not own the key", () => {
    const late = answer({ operationId: "operation-0" });
    check([begun()], late, "nothing");
    check([begun(), answered()], late, "nothing");
  });

  it.each([99, 600, 200.5, Number.NaN])("refuses the status %s", (status) => {
    spec.given(begun()).when(answer({ status })).thenRejected("validation-failed");
  });

  it("accepts a body up to its limit", () => {
    const body = "x".repeat(outcomeLimits.bodyBytes);
    check([begun()], answer({ body }), [answered({ body })]);
    spec
      .given(begun())
      .when(answer({ body: `${body}x` }))
      .thenRejected("validation-failed");
  });
});

describe("releasing a key", () => {
  it("by a former owner does not release the present one's, and is refused", () => {
    const next = begun({ operationId: "operation-2" });
    check([begun(), released(), next], release(), "request-in-progress");
    const answeredSince = [begun(), released(), next, answered({ operationId: "operation-2" })];
    check(answeredSince, release(), "request-in-progress");
  });
});

describe("a corrupt stream", () => {
  it.each<{ what: string; events: readonly RequestEvent[] }>([
    { what: "a second beginning", events: [begun(), begun()] },
    { what: "a beginning after the answer", events: [begun(), answered(), begun()] },
    { what: "an answer to nothing", events: [answered()] },
    { what: "a second answer", events: [begun(), answered(), answered()] },
    { what: "an answer of another operation", events: [begun(), answered({ operationId: "operation-2" })] },
    { what: "a release of nothing", events: [released()] },
    { what: "a take-over of nothing", events: [takenOver()] },
  ])('$what throws "corrupt stream"', ({ events }) => {
    expect(() => events.reduce(request.evolve, request.initialState)).toThrow(CorruptStreamError);
  });
});
