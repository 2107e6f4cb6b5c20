import {
  asksServerPayer,
  nextOfServerTerm,
  serverAggregate,
  type ProvisionedServer,
  type ServerCommand,
  type ServerTermEffect,
  type WorkedServer,
} from "@hostledger/core";
import type { Accounts, CommandHandler } from "@hostledger/store";
import {
  endOf,
  readPayer,
  requestDailyWorkTicket,
  workKind,
  type AnyWorkKind,
  type EffectEnd,
} from "@hostledger/work";
import { defined, type Clock } from "@hostledger/runtime";

import { beginRenewal } from "./server-renewals.ts";
import type { ServerRenewals } from "./server-runs.ts";

export interface ServerTermOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, "find" | "requireDocumentKey">;
  readonly renewals: Pick<ServerRenewals, "begin" | "hasRoom">;
  /** Days from a server's expiry to its termination. */
  readonly terminationDays: number;
}

interface OwnedServer extends WorkedServer {
  readonly server: ProvisionedServer;
}

type Renew = Extract<ServerTermEffect, { readonly type: "renew" }>;

const retry = { firstMs: 1_000, longestMs: 3_600_000 };

/** Creates the work on the paid terms of servers; its keys are server ids. */
export function serverTermWork(options: ServerTermOptions): AnyWorkKind {
  const { accounts, clock, commands, terminationDays } = options;
  return workKind<OwnedServer, ServerTermEffect>({
    name: "server-term",
    async load(id) {
      const { state } = await commands.load(serverAggregate, id);
      if (!("server" in state)) return undefined;
      const { server } = state;
      const payer = asksServerPayer(state, clock.now())
        ? await readPayer(accounts, server.accountId)
        : undefined;
      return { state, server, terminationDays, payer };
    },
    next: nextOfServerTerm,
    effects: {
      renew: { retry, carryOut: (effect, { server }) => renew(options, server, effect) },
      "stop-renewing": {
        retry,
        carryOut: ({ renewal: { renewalId } }, { server }) => {
          const changeId = `erasure-${renewalId}`;
          const data = { changeId, autoRenew: false, at: clock.now() };
          return give(options, server, changeId, { type: "SetServerAutoRenewal", data });
        },
      },
      suspend: {
        retry,
        carryOut(_, { server }) {
          const id = `expiry-${String(server.serverId)}-${server.expiresAt}`;
          const data = { reason: "expired", at: clock.now() } as const;
          return give(options, server, id, { type: "SuspendServer", data });
        },
      },
      end: {
        retry,
        carryOut(_, { server }) {
          const changeId = `end-${String(server.serverId)}-${server.expiresAt}`;
          const data = { changeId, terminationDays, at: clock.now() };
          return give(options, server, changeId, { type: "EndServer", data });
        },
      },
    },
    tellOfFailures(id, reason) {
      const options = { commands, clock, recordedBy: "server-service" };
      return requestDailyWorkTicket(options, { work: "terms-servers", about: `server ${id}` }, reason);
    },
  });
}

async function renew(
  { accounts, commands, clock, renewals }: ServerTermOptions,
  { serverId, accountId }: ProvisionedServer,
  { renewal: { renewalId, months }, availableCents }: Renew,
): Promise<EffectEnd> {
  if (!renewals.hasRoom) return { outcome: "failed", reason: "As many renewals as may be are under way" };
  await accounts.requireDocumentKey(accountId);
  const context = { correlationId: renewalId, actor: "process:life-cycle" };
  const requested = { serverId, renewalId, months, automatic: defined({ availableCents }) };
  const begun = await beginRenewal({ commands, clock }, requested, context);
  if ("rejection" in begun) return { outcome: "failed", reason: begun.rejection.message };
  if (begun.renewal !== undefined) await renewals.begin(renewalId, begun.renewal, context);
  return { outcome: "done", step: "renewal begun" };
}

/** Executes a command on a server, once per id. */
async function give(
  { commands }: ServerTermOptions,
  { serverId }: ProvisionedServer,
  id: string,
  command: ServerCommand,
): Promise<EffectEnd> {
  const executed = await commands.execute(serverAggregate, String(serverId), command, {
    commandId: `${id}/${command.type}`,
    correlationId: id,
    actor: "system",
  });
  return endOf(executed, command.type);
}
