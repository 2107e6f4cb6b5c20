import { describePaidOrder } from "./paid-order/paid-order.contract.fixture.ts";
import type { Chance } from "./paid-order/paid-order.pending.fixture.ts";
import { Scenario } from "./paid-order/paid-order.scenario.fixture.ts";
import { registrationCodec } from "./registration.events.ts";
import * as examples from "./registration.fixture.ts";
import type { Registration, RegistrarRegistration } from "./registration.process.ts";

const { at, customNameservers, order, reservation, subject } = examples;
const rival = { ...reservation(), registrationId: "rival", accountId: 8, domainId: 4 };

/** The name is reserved; a rival registers it as soon as it is free. */
function scenarioOf(chance: Chance) {
  const scenario = new Scenario<Registration, RegistrarRegistration>(chance, at, { held: order });
  const { domain } = scenario;
  const nameservers = chance(null, customNameservers);
  const { reservedAt: _, ...reserved } = { ...reservation(nameservers), at };
  domain.execute({ type: "ReserveRegistration", data: reserved });
  const holder = (): string | undefined =>
    domain.state.status === "reserved" || domain.state.status === "held"
      ? domain.state.reservation.registrationId
      : undefined;
  return {
    process: examples.process,
    scenario,
    chance,
    isCancellable: true,
    beginning: () => (holder() === subject.registrationId ? { ...subject, nameservers } : undefined),
    meanwhile() {
      const { registrationId, reservedAt: __, ...rest } = rival;
      switch (chance("nothing", "nothing", "top-up", "rival-reserves", "rival-gives-up")) {
        case "top-up":
          scenario.topUp(5_000n);
          break;
        case "rival-reserves":
          domain.execute({ type: "ReserveRegistration", data: { registrationId, ...rest, at } });
          break;
        case "rival-gives-up":
          domain.execute({
            type: "ReleaseRegistration",
            data: { registrationId, reason: "charge-refused", at },
          });
          break;
        default:
      }
    },
    outside: () => ({
      isConfirmed:
        domain.state.status === "registered" && domain.state.domain.registrationId === subject.registrationId,
      isReserved: holder() === subject.registrationId,
    }),
  };
}

describePaidOrder({
  ...examples,
  events: examples.samples,
  title: "The registration of a name",
  table: "./registration.table.md",
  codec: registrationCodec,
  hasProvider: true,
  scenario: scenarioOf,
  goodLuck: [
    "RegistrationStarted",
    "RegistrationCharged",
    "RegistrarOrderCompleted",
    "RegistrationConfirmed",
    "RegistrationCompleted",
  ],
});
