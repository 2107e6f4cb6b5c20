import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { RegistrationNameCommand } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import type { DomainNameEvent } from "./domain.events.ts";
import { commands } from "./domain.fixture.ts";
import type { DomainState } from "./domain.state.ts";
import { domainCodec } from "./domain.events.ts";

const anyRun = fc.constantFrom("r-1", "r-2", "r-3");

/** Any command of three runs. */
const anyCommand: fc.Arbitrary<RegistrationNameCommand> = fc
  .tuple(fc.constantFrom<RegistrationNameCommand>(...Object.values(commands)), anyRun)
  .map(([command, registrationId]) => withRun(command, registrationId));
const anyCommands = fc.array(anyCommand, { maxLength: 40 });

function withRun<Command extends RegistrationNameCommand>(command: Command, registrationId: string): Command {
  return { ...command, data: { ...command.data, registrationId } };
}

function tell(given: readonly RegistrationNameCommand[]): {
  state: DomainState;
  events: readonly DomainNameEvent[];
} {
  const events: DomainNameEvent[] = [];
  let state = domain.initialState;
  for (const command of given) {
    const decision = domain.decide(command, state);
    if (!decision.accepted) continue;
    events.push(...decision.events);
    state = decision.events.reduce(domain.evolve, state);
  }
  return { state, events };
}

describe("the laws of a name", () => {
  test("it is registered once at most, for the run that reserved it last", () => {
    fc.assert(
      fc.property(anyCommands, (given) => {
        const { events } = tell(given);
        const registered = events.filter((event) => event.type === "DomainRegistered");
        expect(registered.length).toBeLessThanOrEqual(1);
        const reserved = events.filter((event) => event.type === "RegistrationReserved").at(-1);
        for (const { data } of registered) expect(data.registrationId).toBe(reserved?.data.registrationId);
      }),
    );
  });

  test("a command given twice in a row changes nothing the second time", () => {
    fc.assert(
      fc.property(anyCommands, anyCommand, (given, command) => {
        const { state } = tell([...given, command]);
        const again = domain.decide(command, state);
        expect(again.accepted ? again.events : []).toEqual([]);
      }),
    );
  });

  test("every decided event can be stored and read back unchanged", () => {
    fc.assert(
      fc.property(anyCommands, (given) => {
        for (const { type, data } of tell(given).events) {
          expect(domainCodec.decode(domainCodec.storedType(type), JSON.stringify(data))).toEqual({
            type,
            data,
          });
        }
      }),
    );
  });
});
