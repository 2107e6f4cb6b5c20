import type { ServiceImpl } from "@connectrpc/connect";
import { serverAggregate, parseHostname } from "@hostledger/core";
import { refusalOf } from "@hostledger/store";
import type { server } from "@hostledger/protocol";
import {
  rejectionError,
  requestContextOf,
  requestedSelection,
  requireAccount,
  useQuota,
  validated,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ServerDependencies } from "../dependencies.ts";
import { servers } from "../reads/servers.projection.ts";
import { ownServer } from "./offer.ts";
import { firewallHandlers } from "./firewall.ts";
import { orderServer } from "./order-server.ts";
import { renewServer } from "./renew-server.ts";
import { cancelServer, updateServerSettings } from "./server-terms.ts";

export function serverRpc(dependencies: ServerDependencies): ServiceImpl<typeof server.ServerService> {
  const { clock, commands, projector, queries, quotas, serverMessage } = dependencies;
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
      const operation = requestContextOf(context);
      const { operationId: changeId } = operation;
      const command = { type: "ChangeHostname", data: { changeId, hostname, at: clock.now() } } as const;
      const refusal = await refusalOf(commands, serverAggregate, String(id), command);
      if (refusal !== undefined) throw rejectionError(refusal);
      await useQuota(quotas, "free_writes_a_day", 1, context);
      const executed = await commands.execute(serverAggregate, String(id), command, {
        ...operation,
        commandId: `${changeId}/ChangeHostname`,
      });
      if (!executed.accepted) throw rejectionError(executed.rejection);
      await projector.after(executed.position, { names: [servers.name] });
      return defined({ hostname: hostname ?? undefined });
    },

    ...firewallHandlers(dependencies),
  };
}
