import { server } from "../server/server.decider.ts";
import type { ServerEvent } from "../server/server.events.ts";
import { histories } from "../server/server.fixture.ts";
import { describePaidOrder } from "./paid-order/paid-order.contract.fixture.ts";
import type { Chance } from "./paid-order/paid-order.pending.fixture.ts";
import { Scenario } from "./paid-order/paid-order.scenario.fixture.ts";
import { serverRenewalCodec } from "./server-renewal.events.ts";
import * as examples from "./server-renewal.fixture.ts";
import type { ServerRenewal, ServerRenewalOutcome } from "./server-renewal.process.ts";

const { at, outcome, subject } = examples;
const { renewalId, months } = subject;

/** The server runs or is suspended, and its renewal has begun, unless an earlier design began it. */
function scenarioOf(chance: Chance) {
  const scenario = new Scenario<ServerRenewal, ServerRenewalOutcome>(chance, at, { held: outcome });
  const stream = scenario.server;
  const history: readonly ServerEvent[] = histories[chance<"active" | "suspended">("active", "suspended")];
  stream.state = history.reduce(server.evolve, server.initialState);
  const isRecorded = chance(true, true, false);
  if (isRecorded) stream.execute({ type: "BeginServerRenewal", data: { renewalId, months, at } });
  const provisioned = () => {
    if (!("server" in stream.state)) throw new Error("the server is gone");
    return stream.state.server;
  };
  const begun = provisioned().renewal ?? subject;
  return {
    process: examples.process,
    scenario,
    chance,
    isCancellable: false,
    beginning: () => (isRecorded ? begun : undefined),
    ...(isRecorded ? {} : { history: examples.histories.charging }),
    meanwhile() {
      switch (chance("nothing", "nothing", "top-up", "suspend", "unsuspend", "again")) {
        case "top-up":
          scenario.topUp(5_000n);
          break;
        case "suspend":
          stream.execute({ type: "SuspendServer", data: { reason: "staff", at } });
          break;
        case "unsuspend":
          stream.execute({ type: "UnsuspendServer", data: { at } });
          break;
        case "again":
          // Only one renewal at a time: a second renewal is refused until the first ends.
          if (provisioned().renewal !== null)
            stream.execute({ type: "BeginServerRenewal", data: { renewalId: "n-2", months: 1, at } });
          break;
        default:
      }
    },
    outside: () => ({
      isConfirmed: provisioned().renewals.some((one) => one.renewalId === renewalId),
      isReserved: provisioned().renewal !== null,
    }),
  };
}

describePaidOrder({
  ...examples,
  title: "The renewal of a server",
  table: "./server-renewal.table.md",
  codec: serverRenewalCodec,
  hasProvider: false,
  scenario: scenarioOf,
  goodLuck: [
    "ServerRenewalStarted",
    "ServerRenewalCharged",
    "ServerRenewalRecorded",
    "ServerRenewalCompleted",
  ],
});
