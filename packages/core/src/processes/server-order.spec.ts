import { describePaidOrder } from "./paid-order/paid-order.contract.fixture.ts";
import type { Chance } from "./paid-order/paid-order.pending.fixture.ts";
import { Scenario } from "./paid-order/paid-order.scenario.fixture.ts";
import { serverOrderCodec } from "./server-order.events.ts";
import * as examples from "./server-order.fixture.ts";
import type { ServerOrder, ServerPlace } from "./server-order.process.ts";

const { at, place, subject } = examples;
const { planId, regionId, orderId } = subject;

/** The region has some units or none; staff change the stock and give servers away. */
function scenarioOf(chance: Chance) {
  const scenario = new Scenario<ServerOrder, ServerPlace>(chance, at, { held: place });
  const { stock, server } = scenario;
  const unitsAtFirst = chance(3, 1, 0);
  stock.execute({ type: "SetStock", data: { planId, regionId, units: unitsAtFirst, at } });
  const isGift = chance(false, false, true);
  const ordered = { ...subject, grossCents: isGift ? null : subject.grossCents };
  let isBegun = false;
  return {
    process: examples.process,
    scenario,
    chance,
    isCancellable: true,
    // Only the run's own stream shows the run, so an owner that dies before its first event leaves nothing.
    beginning() {
      if (isBegun) return undefined;
      isBegun = true;
      return ordered;
    },
    meanwhile() {
      if (chance("nothing", "nothing", "top-up") === "top-up") scenario.topUp(5_000n);
    },
    outside() {
      const isConfirmed = "server" in server.state;
      const takesUnit = isConfirmed && !isGift;
      // The unit belongs to the server or was returned.
      const isReserved =
        server.state.status === "ordered" ||
        stock.state.units !== unitsAtFirst - (takesUnit ? 1 : 0) ||
        (stock.state.orders.get(orderId) === "reserved") !== takesUnit;
      return { isConfirmed, isReserved, isGift };
    },
  };
}

describePaidOrder({
  ...examples,
  title: "The order of a server",
  table: "./server-order.table.md",
  codec: serverOrderCodec,
  hasProvider: true,
  scenario: scenarioOf,
  goodLuck: [
    "ServerOrderStarted",
    "ServerOrderUnitTaken",
    "ServerOrderPlaced",
    "ServerOrderCharged",
    "ComputeOrderCompleted",
    "ServerOrderCompleted",
  ],
});
