import type { Rejection } from "@hostledger/core";
import type { Accounts, CommandContext, CommandHandler } from "@hostledger/store";
import { onlyRegistrar, type Registrar } from "@hostledger/providers";
import { manualClock, realTiming } from "@hostledger/runtime";

import type { DomainRunsOptions } from "./domain-runs.ts";

/** Scripted behaviour of providers and accounts; a call of a missing entry is a bug. */
export interface Script {
  readonly registrar?: Partial<Registrar>;
  readonly accounts?: Partial<Accounts>;
  /** Rejection of every command on names; undefined: names accept. */
  readonly nameRefusal?: Rejection;
  /** Result of counting a failed order; undefined: it is counted. */
  readonly countFailedOrder?: () => Promise<void>;
}

/** A command that a name was given. */
export interface GivenCommand {
  readonly stream: string;
  readonly command: unknown;
  readonly context: CommandContext;
}

/** Effects that follow the spec's script, and the commands that went through them. */
export type ScriptedEffects = Pick<
  DomainRunsOptions,
  "accounts" | "chargesAs" | "clock" | "commands" | "quietMs" | "quotas" | "registrars" | "settings"
> & {
  readonly given: GivenCommand[];
  /** Accounts of which a failed order was counted. */
  readonly counted: number[];
};

export const now = "2026-03-01T10:00:00.000000Z";
export const context = { correlationId: "correlation-1", actor: "account:7" };
export const serviceNameservers = ["ns1.hostledger.test", "ns2.hostledger.test"];

/** Creates the effects. Their clock stands still at `now`. */
export function scriptedEffects(script: Script = {}): ScriptedEffects {
  const given: GivenCommand[] = [];
  const counted: number[] = [];
  return {
    given,
    counted,
    quotas: {
      countFailedOrder(accountId) {
        counted.push(accountId);
        return script.countFailedOrder?.() ?? Promise.resolve();
      },
    },
    clock: manualClock(now, realTiming),
    commands: scriptedCommands(given, script),
    registrars: onlyRegistrar(scriptedRegistrar(script.registrar)),
    accounts: scriptedAccounts(script.accounts),
    chargesAs: "service:domain",
    settings: { serviceNameservers },
    quietMs: 10_000,
  };
}

const unused = (): never => {
  throw new Error("not part of this spec");
};

/** Creates a registrar whose calls are all bugs, except for those given. */
export function scriptedRegistrar(calls: Partial<Registrar> = {}): Registrar {
  return {
    name: "sandbox",
    check: unused,
    register: unused,
    inquire: unused,
    renew: unused,
    restore: unused,
    updateNameservers: unused,
    updateSettings: unused,
    authCode: unused,
    cancel: unused,
    transferIn: unused,
    inquireTransfer: unused,
    cancelTransfer: unused,
    needsRegistrant: () => false,
    years: { least: 1, most: 10 },
    ...calls,
  };
}

/** Creates accounts whose methods are all bugs, except for those given. */
export function scriptedAccounts(methods: Partial<Accounts> = {}): Accounts {
  return {
    find: unused,
    quote: unused,
    requireDocumentKey: unused,
    charge: unused,
    refund: unused,
    ...methods,
  };
}

function scriptedCommands(given: GivenCommand[], { nameRefusal: refusal }: Script): CommandHandler {
  return {
    execute(aggregate, id, command, commandContext) {
      given.push({ stream: `${aggregate.category}-${id}`, command, context: commandContext });
      const state = aggregate.decider.initialState;
      if (refusal !== undefined) return Promise.resolve({ accepted: false, rejection: refusal, state });
      return Promise.resolve({ accepted: true, state, events: [], revision: undefined, position: undefined });
    },
    load: unused,
    statistics: unused,
  };
}
