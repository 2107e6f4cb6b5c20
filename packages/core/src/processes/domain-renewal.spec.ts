import { genericLifeCycle } from "../pricing/extension-life-cycle.ts";
import { domain } from "../domain/domain.decider.ts";
import { samples as nameEvents } from "../domain/domain.fixture.ts";
import * as examples from "./domain-renewal.fixture.ts";
import type { Renewal, RenewedUntil } from "./domain-renewal.process.ts";
import { describePaidOrder } from "./paid-order/paid-order.contract.fixture.ts";
import type { Chance } from "./paid-order/paid-order.pending.fixture.ts";
import { Scenario } from "./paid-order/paid-order.scenario.fixture.ts";
import { renewalRunCodec } from "./domain-renewal.events.ts";

const terms = { restoration: false, lifeCycle: genericLifeCycle };

const { after, at, before, renewal, renewalId } = examples;

/** The domain is registered and its renewal has begun. Staff and other people act meanwhile. */
function scenarioOf(chance: Chance) {
  const scenario = new Scenario<Renewal, RenewedUntil>(chance, at, {
    held: { expiresAt: after },
    before: { expiresAt: before },
  });
  const { DomainRegistered } = nameEvents;
  scenario.domain.state = [
    nameEvents.RegistrationReserved,
    { ...DomainRegistered, data: { ...DomainRegistered.data, expiresAt: before } },
  ].reduce(domain.evolve, domain.initialState);
  const { years, yearNetCents } = renewal;
  scenario.domain.execute({
    type: "StartRenewal",
    data: { ...terms, renewalId, years, yearNetCents, automatic: false, expiresAt: before, at },
  });
  const registered = () => {
    const { state } = scenario.domain;
    if (state.status !== "registered") throw new Error("the domain is gone");
    return state.domain;
  };
  const subject = registered().renewal;
  if (subject === null) throw new Error("the renewal did not begin");
  return {
    process: examples.process,
    scenario,
    chance,
    isCancellable: false,
    beginning: () => subject,
    meanwhile() {
      switch (chance("nothing", "nothing", "top-up", "again", "staff", "expiry")) {
        case "top-up":
          scenario.topUp(2_000n);
          break;
        case "again": {
          const second = { ...terms, renewalId: "renewal-2", years: 1, yearNetCents, automatic: false };
          // Only one renewal at a time: a second renewal is refused until the first ends.
          if (registered().renewal !== null)
            scenario.domain.execute({
              type: "StartRenewal",
              data: { ...second, expiresAt: registered().expiresAt, at: scenario.at },
            });
          break;
        }
        case "staff":
          scenario.domain.execute({
            type: "SetDomainSuspension",
            data: { suspended: chance(false, true), at: scenario.at },
          });
          break;
        case "expiry":
          scenario.domain.execute({ type: "ExpireDomain", data: { at: scenario.at } });
          break;
        default:
      }
    },
    outside: () => ({
      isConfirmed: registered().renewals.ended.get(renewalId) === "renewed",
      isReserved: registered().renewal !== null,
    }),
  };
}

describePaidOrder({
  ...examples,
  title: "The renewal of a domain",
  table: "./domain-renewal.table.md",
  codec: renewalRunCodec,
  hasProvider: true,
  scenario: scenarioOf,
  goodLuck: ["RenewalRunStarted", "RenewalCharged", "RenewalOrderCompleted", "RenewalCompleted"],
});
