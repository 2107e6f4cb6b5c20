import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { serverAggregate, type ServerCommand } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { noSuch, rejectionError, requestContextOf, useQuota } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { ownServer } from "./offer.ts";

type Request = Readonly<Pick<server.CancelServerRequest, "serverId" | "now">>;
type Response = MessageInitShape<typeof server.CancelServerResponseSchema>;

/**
 * Ends a server for its customer (contract, second part, `POST /servers/{s}/cancel`): with its paid time, which a renewal takes
 * back, or at once. Its machine is destroyed by the reconciler of the nodes.
 */
export async function cancelServer(
  dependencies: ServerDependencies,
  { serverId, now }: Request,
  context: HandlerContext,
): Promise<Response> {
  const { clock, commands, nodes, quotas, readBack, serverMessage } = dependencies;
  const { id } = await ownServer(dependencies, serverId, context);
  await useQuota(quotas, "free_writes_a_day", 1, context);
  const operation = requestContextOf(context);
  const data = { changeId: operation.operationId, at: clock.now() };
  const command: ServerCommand = now
    ? { type: "TerminateServer", data: { ...data, reason: "customer" } }
    : { type: "CancelServer", data };
  const commandId = `${operation.operationId}/${command.type}`;
  const executed = await commands.execute(serverAggregate, String(id), command, { ...operation, commandId });
  if (!executed.accepted) throw rejectionError(executed.rejection);
  if (now) nodes.doubt(id);
  const row = await readBack(executed, `server-${String(id)}`, (queries) => queries.serverById(id));
  if (row === undefined) throw noSuch("server");
  return { server: serverMessage(row) };
}
