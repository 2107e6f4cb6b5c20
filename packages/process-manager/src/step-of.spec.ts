import type { Beginning, Reaction } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { stepOf } from "./step-of.ts";

const hands = {
  send: (command: string) => Promise.resolve(`sent ${command}`),
  call: (request: string) => Promise.resolve(`called ${request}`),
};

async function done(reaction: Reaction<string, string> | Beginning<string>): Promise<unknown> {
  const step = stepOf(reaction, hands);
  return "perform" in step ? { ...step, perform: await step.perform() } : step;
}

describe("a reaction, ready to be carried out", () => {
  it.each(["begin", "send", "compensate"] as const)("%s gives its command", async (kind) => {
    expect(await done({ kind, command: "pack" })).toEqual({ kind, perform: "sent pack" });
  });

  it("a call makes its request, not before its time where it has one", async () => {
    expect(await done({ kind: "call", request: "ship" })).toEqual({ kind: "call", perform: "called ship" });
    const notBefore = "2026-03-01T10:00:00.000000Z";
    expect(await done({ kind: "call", request: "ship", notBefore })).toEqual({
      kind: "call",
      notBefore,
      perform: "called ship",
    });
  });

  it("waiting for staff and completion ask for nothing", async () => {
    expect(await done({ kind: "park", reason: "lost" })).toEqual({ kind: "park" });
    expect(await done({ kind: "complete" })).toEqual({ kind: "complete" });
  });
});
