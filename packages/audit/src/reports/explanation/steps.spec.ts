import { describe, expect, it } from "vitest";
import type { Event } from "../event.ts";
import { stepsOf } from "./steps.ts";

const event = (type: string, revision: number): Event => ({
  stream: "serverorder-1",
  revision: BigInt(revision),
  id: "",
  type: `${type}.v1`,
  time: `2026-11-21T02:17:19.00000${String(revision)}Z`,
  data: "{}",
  metadata: "{}",
});

describe("the steps of an explanation", () => {
  it("count every provider call as part of the order, also a cancellation", () => {
    const types = ["ServerOrderStarted", "ComputeOutcomeUnknown", "ComputeOrderNotHeld"];
    const undone = ["ComputeDestructionDue", "ComputeServerDestroyed", "ServerOrderCompleted"];
    const steps = stepsOf([...types, ...undone].map(event), "serverorder-1");
    expect(steps.map(({ kind }) => kind)).toEqual([
      "request",
      "order",
      "order",
      "order",
      "order",
      "order",
      "other",
    ]);
  });
});
