import { expect, it } from "vitest";

import { workKind } from "./work-kind.ts";

const look = {
  now: () => "2026-03-01T10:00:00.000000Z",
  isTimeTrusted: () => true,
  failure: {
    kind: "letter",
    key: "a",
    effect: "send",
    attempts: 3,
    reason: "No answer.",
    failing_since: "2026-03-01T09:00:00.000000Z",
    failed_at: "2026-03-01T09:59:00.000000Z",
    retry_at: "2026-03-01T10:00:00.000000Z",
  },
};

function letters() {
  const sent: string[] = [];
  const kind = workKind<string, { readonly type: "send" }>({
    name: "letter",
    load: (key) => Promise.resolve(sent.includes(key) ? undefined : key),
    next: () => ({ do: { type: "send" } }),
    effects: {
      send: {
        retry: { firstMs: 1_000, longestMs: 60_000 },
        carryOut(_effect, key) {
          sent.push(key);
          return Promise.resolve({ outcome: "done", step: "sent" });
        },
      },
    },
  });
  return { kind, sent };
}

it("leaves a key due, and its failed attempts in place, when the process stops before a step", async () => {
  const { kind, sent } = letters();
  const stopped = await kind.attend("a", { ...look, signal: AbortSignal.abort() });
  expect(stopped).toEqual({ steps: [], end: "due" });
  expect(sent).toEqual([]);
});

it("waits for a change of the stream once nothing is left to do", async () => {
  const { kind } = letters();
  const done = await kind.attend("a", { ...look, signal: new AbortController().signal });
  expect(done).toMatchObject({ steps: ["sent"], end: "waiting", until: null });
});
