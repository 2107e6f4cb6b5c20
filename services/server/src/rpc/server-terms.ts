import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { serverAggregate, type ServerCommand } from "@hostledger/core";
import { refusalOf } from "@hostledger/store";
import type { server } from "@hostledger/protocol";
import { noSuch, rejectionError, requestContextOf, useQuota } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { ownServer } from "./offer.ts";

interface Changed {
  readonly server: MessageInitShape<typeof server.ServerSchema>;
}

/** Cancels a server (contract, second part, `POST /servers/{s}/cancel`): at the end of its term or at once. */
export function cancelServer(
  dependencies: ServerDependencies,
  { serverId, now }: Readonly<Pick<server.CancelServerRequest, "serverId" | "now">>,
  context: HandlerContext,
): Promise<Changed> {
  return changed(dependencies, serverId, context, (data) =>
    now ? { type: "TerminateServer", data: { ...data, reason: "customer" } } : { type: "CancelServer", data },
  );
}

/** Switches automatic renewal (contract, second part, `PUT /servers/{s}/settings`). */
export function updateServerSettings(
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
  const { clock, commands, quotas, readAfter, serverMessage } = dependencies;
  const { id } = await ownServer(dependencies, serverId, context);
  const operation = requestContextOf(context);
  const command = commandOf({ changeId: operation.operationId, at: clock.now() });
  const refusal = await refusalOf(commands, serverAggregate, String(id), command);
  if (refusal !== undefined) throw rejectionError(refusal);
  await useQuota(quotas, "free_writes_a_day", 1, context);
  const commandId = `${operation.operationId}/${command.type}`;
  const executed = await commands.execute(serverAggregate, String(id), command, { ...operation, commandId });
  if (!executed.accepted) throw rejectionError(executed.rejection);
  const row = await readAfter(executed, `server-${String(id)}`, (queries) => queries.serverById(id));
  if (row === undefined) throw noSuch("server");
  return { server: serverMessage(row) };
}
