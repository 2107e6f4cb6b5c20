import { beforeEach, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../clock.ts";
import { FloodGate, floodLimits, type GatedConnection } from "./flood-gate.ts";

let clock: ManualClock;
let gate: FloodGate;
const served: string[] = [];
beforeEach(() => {
  clock = manualClock("2026-11-23T10:00:00.000000Z");
  gate = new FloodGate(clock);
  served.length = 0;
});

function connect(name: string, remoteAddress = "192.0.2.1") {
  const connection = { remoteAddress, destroyed: false, listeners: 0, received: new Array<Buffer>() };
  const gated: GatedConnection = Object.assign(connection, {
    on: () => (connection.listeners += 1),
    off: () => (connection.listeners -= 1),
    destroy: () => (connection.destroyed = true),
    read: () => connection.received.shift() ?? null,
    unshift: (received: Buffer) => connection.received.unshift(received),
  });
  gate.admit(gated, () => served.push(name));
  return connection;
}

it("serves at once without a flood, and at other addresses", () => {
  connect("a");
  gate.flooded("192.0.2.1");
  connect("b", "192.0.2.2");
  expect(served).toEqual(["a", "b"]);
});

it("serves connections of a flooding address one after the other, each once", () => {
  gate.flooded("192.0.2.1");
  const waiting = [connect("a"), connect("b"), connect("c")];
  // Errors of waiting connections are handled by the gate alone.
  expect([served, waiting.map(({ listeners }) => listeners)]).toEqual([[], [1, 1, 1]]);
  clock.advance(floodLimits.apartMs);
  expect(served).toEqual(["a"]);
  clock.advance(2 * floodLimits.apartMs);
  expect([served, waiting.map(({ listeners }) => listeners)]).toEqual([
    ["a", "b", "c"],
    [0, 0, 0],
  ]);
});

it("passes bytes received meanwhile on in one piece", () => {
  gate.flooded("192.0.2.1");
  const { received } = connect("a");
  received.push(Buffer.from("PRI"), Buffer.from(" * HTTP/2.0"));
  clock.advance(floodLimits.apartMs);
  expect(received.map(String)).toEqual(["PRI * HTTP/2.0"]);
});

it("does not serve a connection that is closed by its turn", () => {
  gate.flooded("192.0.2.1");
  connect("a").destroyed = true;
  connect("b");
  clock.advance(floodLimits.calmMs);
  expect(served).toEqual(["b"]);
});

it("closes those that would wait for too long", () => {
  gate.flooded("192.0.2.1");
  const most = floodLimits.longestWaitMs / floodLimits.apartMs;
  const connections = Array.from({ length: most + 2 }, (_, index) => connect(String(index)));
  expect(connections.map(({ destroyed }) => destroyed)).toEqual([
    ...Array.from({ length: most }, () => false),
    true,
    true,
  ]);
});

it("deletes a flood that has ended, and not one that continues", () => {
  gate.flooded("192.0.2.1");
  clock.advance(floodLimits.calmMs - 1);
  gate.flooded("192.0.2.1");
  clock.advance(floodLimits.calmMs - 1);
  connect("a");
  connect("b");
  expect(served).toEqual(["a"]);
  clock.advance(floodLimits.calmMs);
  expect(served).toEqual(["a", "b"]);
  connect("c");
  expect(served).toEqual(["a", "b", "c"]);
});
