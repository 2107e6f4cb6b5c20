import type { ServiceImpl } from "@connectrpc/connect";
import { serverAggregate, parseHostname } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { requestContextOf, requestedSelection, requireAccount, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { customerCommand } from "@hostledger/work";

import type { ServerDependencies } from "../dependencies.ts";
import { servers } from "../reads/servers.projection.ts";
import { ownServer } from "./offer.ts";
import { firewallHandlers } from "./firewall.ts";
import { orderServer } from "./order-server.ts";
import { renewServer } from "./renew-server.ts";
import { cancelServer, updateServerSettings } from "./server-terms.ts";

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
