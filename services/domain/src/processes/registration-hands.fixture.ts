import { createClient, type ServiceImpl } from "@connectrpc/connect";
import {
  registerDomain,
  type DomainNameEvent,
  type RegistrationInput,
  type RegistrationState,
  type Rejection,
} from "@hostledger/core";
import { registrationExamples } from "@hostledger/core/testing";
import type { CommandContext, CommandHandler } from "@hostledger/event-store";
import { account } from "@hostledger/protocol";
import type { Registrar } from "@hostledger/providers";
import { type AccountClient, createInProcessTransport, implement } from "@hostledger/rpc";
import { manualClock, realTiming } from "@hostledger/runtime";

import { registrationRunnable, type RegistrationHands } from "./registration.runnable.ts";

type AccountHandlers = ServiceImpl<typeof account.AccountService>;

/** What the parties of a registration do in a spec; a call of anything left out is a bug. */
export interface Parties {
  readonly registrar?: Partial<Registrar>;
  readonly accounts?: Partial<AccountHandlers>;
  /** What names refuse every command with; without it they accept. */
  readonly nameRefusal?: Rejection;
  /** The facts of every name. Without them there are none. */
  readonly nameFacts?: readonly DomainNameEvent[];
}

/** A command that a name was given. */
export interface GivenCommand {
  readonly stream: string;
  readonly command: unknown;
  readonly context: CommandContext;
}

/** Hands that do what the spec says, and the commands that went through them. */
export interface ScriptedHands extends RegistrationHands {
  readonly given: GivenCommand[];
}

export const now = "2026-03-01T10:00:00.000000Z";
export const context = { correlationId: "correlation-1", actor: "account:7" };

/** The example run r-1 in this status. */
export function stateIn(status: RegistrationState["status"]): RegistrationState {
  return registrationExamples.histories[status].reduce(registerDomain.evolve, registerDomain.initialState);
}

/** What comes of the step that the example run takes next in this status. */
export async function inputAfter(
  status: RegistrationState["status"],
  parties: Parties = {},
): Promise<RegistrationInput> {
  const step = registrationRunnable(scriptedHands(parties)).next(stateIn(status), "r-1", context);
  if (!("perform" in step)) throw new Error(`nothing is done in ${status}`);
  return step.perform();
}

/** Makes the hands. Their clock stands still at `now`. */
export function scriptedHands(parties: Parties = {}): ScriptedHands {
  const given: GivenCommand[] = [];
  return {
    given,
    clock: manualClock(now, realTiming),
    commands: scriptedCommands(given, parties),
    registrar: scriptedRegistrar(parties.registrar),
    accounts: scriptedAccounts(parties.accounts),
    settings: {
      serviceNameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
      parkingAddress: "192.0.2.1",
      fallbackRenewalPriceCents: 1_999n,
    },
  };
}

const unused = (): never => {
  throw new Error("not part of this spec");
};

/** A registrar whose every call is a bug, except for those given. */
export function scriptedRegistrar(calls: Partial<Registrar> = {}): Registrar {
  return {
    name: "sandbox",
    check: unused,
    register: unused,
    inquire: unused,
    renew: unused,
    updateNameservers: unused,
    updateSettings: unused,
    authCode: unused,
    cancel: unused,
    transferIn: unused,
    inquireTransfer: unused,
    cancelTransfer: unused,
    ...calls,
  };
}

/** An account service whose every method is a bug, except for those given. Calls carry the correlation id only. */
export function scriptedAccounts(handlers: Partial<AccountHandlers> = {}): AccountClient {
  const service = implement(account.AccountService, {
    resolveApiKey: unused,
    getAccount: unused,
    listInvoices: unused,
    getInvoice: unused,
    chargeBalance: unused,
    refundCharge: unused,
    refundRegistration: unused,
    ...handlers,
  });
  return {
    rpc: createClient(account.AccountService, createInProcessTransport([service])),
    callOptions: ({ correlationId }) => ({
      headers: new Headers({ "hostledger-correlation-id": correlationId }),
      timeoutMs: 1_000,
    }),
  };
}

function scriptedCommands(
  given: GivenCommand[],
  { nameRefusal: refusal, nameFacts = [] }: Parties,
): CommandHandler {
  return {
    execute(aggregate, id, command, context) {
      given.push({ stream: `${aggregate.category}-${id}`, command, context });
      const state = aggregate.decider.initialState;
      if (refusal !== undefined) return Promise.resolve({ accepted: false, rejection: refusal, state });
      return Promise.resolve({ accepted: true, state, events: [], revision: undefined, position: undefined });
    },
    load(aggregate) {
      const { decider, codec } = aggregate;
      const state = nameFacts
        .map(({ type, data }) => codec.decode(`${type}.v1`, JSON.stringify(data)))
        .reduce(decider.evolve, decider.initialState);
      return Promise.resolve({ state, revision: undefined, position: undefined });
    },
    statistics: unused,
  };
}
