import { type ProvisionedServer, serverAggregate, stockAggregate, stockId } from "@hostledger/core";
import { type CommandHandler, type Installation } from "@hostledger/store";
import { done, type Compute, type Outcome } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";

import { computeName } from "./compute-server.ts";

export interface TerminationOptions {
  readonly commands: CommandHandler;
  readonly compute: Pick<Compute, "destroy">;
  readonly installation: Installation;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Destroys a server's machine, returns its unit and records the termination, in this order: the event follows the
 * provider's answer, and the unit is returned before the order ends. Each step is safe to repeat.
 */
export async function terminate(
  options: TerminationOptions,
  server: ProvisionedServer,
): Promise<Outcome<void>> {
  const { commands, compute, clock } = options;
  const { serverId, planId, regionId, orderId } = server;
  const answer = await compute.destroy(await computeName(options.installation, server));
  if (answer.outcome !== "done") return answer;
  const cause = { correlationId: `termination-${String(serverId)}`, actor: "process:server-service" };
  const key = { planId, regionId };
  // A gift's order reserved no unit.
  const returned = await commands.execute(
    stockAggregate,
    stockId(key),
    { type: "ReturnStockUnit", data: { ...key, orderId, at: clock.now() } },
    { ...cause, commandId: `${cause.correlationId}/ReturnStockUnit` },
  );
  if (!returned.accepted) throw new Error(returned.rejection.message);
  const recorded = await commands.execute(
    serverAggregate,
    String(serverId),
    { type: "RecordServerTerminated", data: { at: clock.now() } },
    { ...cause, commandId: `${cause.correlationId}/RecordServerTerminated` },
  );
  if (!recorded.accepted) throw new Error(recorded.rejection.message);
  return done(undefined);
}
