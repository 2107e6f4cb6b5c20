import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { parseHostname, serverAggregate, type ServerCommand } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { noSuch, requestContextOf, requestedSelection, requireAccount, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { customerCommand } from "@hostledger/work";
import type { MessageInitShape } from "@bufbuild/protobuf";

import type { ServerDependencies } from "../dependencies.ts";
import { servers } from "../reads/servers.projection.ts";
import { ownServer } from "./offer.ts";
import { firewallHandlers } from "./firewall.ts";
import { orderServer } from "./order-server.ts";
import { renewServer } from "./renew-server.ts";

export function serverRpc(dependencies: ServerDependencies): ServiceImpl<typeof server.ServerService> {
  const { clock, projector, queries, serverMessage } = dependencies;
  return {
    async listServers({ page }, context) {
      const { accountId } = requireAccount(context);
      const rows = await queries.serversOf(accountId, requestedSelection(page));
      return { servers: rows.map(serverMessage) };
    },

    async getServer({ serverId }, context) {
      return { server: serverMessage(await ownServer(dependencies, serverId, context)) };
    },

    orderServer: (request, context) => orderServer(dependencies, request, context),

    renewServer: (request, context) => renewServer(dependencies, request, context),

    cancelServer: (request, context) => cancelServer(dependencies, request, context),

    updateServerSettings: (request, context) => updateServerSettings(dependencies, request, context),

    async updateHostname(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const { hostname } = validated({ hostname: parseHostname(request.hostname ?? null) });
      const { operationId: changeId } = requestContextOf(context);
      const command = { type: "ChangeHostname", data: { changeId, hostname, at: clock.now() } } as const;
      const sent = { aggregate: serverAggregate, id, command };
      const executed = await customerCommand(dependencies, context, sent);
      await projector.after(executed.position, { names: [servers.name] });
      return defined({ hostname: hostname ?? undefined });
    },

    ...firewallHandlers(dependencies),
  };
}

interface Changed {
  readonly server: MessageInitShape<typeof server.ServerSchema>;
}

/** Cancels a server (contract, second part, `POST /servers/{s}/cancel`): at the end of its term or at once. */
function cancelServer(
  dependencies: ServerDependencies,
  { serverId, now }: Readonly<Pick<server.CancelServerRequest, "serverId" | "now">>,
  context: HandlerContext,
): Promise<Changed> {
  return changed(dependencies, serverId, context, (data) =>
    now ? { type: "TerminateServer", data: { ...data, reason: "customer" } } : { type: "CancelServer", data },
  );
}

/** Switches automatic renewal (contract, second part, `PUT /servers/{s}/settings`). */
function updateServerSettings(
  dependencies: ServerDependencies,
  { serverId, autoRenew }: Readonly<Pick<server.UpdateServerSettingsRequest, "serverId" | "autoRenew">>,
  context: HandlerContext,
): Promise<Changed> {
  return changed(dependencies, serverId, context, (data) => ({
    type: "SetServerAutoRenewal",
    data: { ...data, autoRenew },
  }));
}

/** Executes the customer's command on a server. @returns the changed server */
async function changed(
  dependencies: ServerDependencies,
  serverId: bigint,
  context: HandlerContext,
  commandOf: (data: { readonly changeId: string; readonly at: string }) => ServerCommand,
): Promise<Changed> {
  const { clock, readAfter, serverMessage } = dependencies;
  const { id } = await ownServer(dependencies, serverId, context);
  const { operationId: changeId } = requestContextOf(context);
  const command = commandOf({ changeId, at: clock.now() });
  const executed = await customerCommand(dependencies, context, { aggregate: serverAggregate, id, command });
  const row = await readAfter(executed, `server-${String(id)}`, (queries) => queries.serverById(id));
  if (row === undefined) throw noSuch("server");
  return { server: serverMessage(row) };
}
