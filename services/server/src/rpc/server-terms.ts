import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { serverAggregate, type ServerCommand } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { noSuch, requestContextOf } from "@hostledger/rpc";
import { customerCommand } from "@hostledger/work";

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
  const { clock, readAfter, serverMessage } = dependencies;
  const { id } = await ownServer(dependencies, serverId, context);
  const { operationId: changeId } = requestContextOf(context);
  const command = commandOf({ changeId, at: clock.now() });
  const executed = await customerCommand(dependencies, context, { aggregate: serverAggregate, id, command });
  const row = await readAfter(executed, `server-${String(id)}`, (queries) => queries.serverById(id));
  if (row === undefined) throw noSuch("server");
  return { server: serverMessage(row) };
}
