import {
  type ProvisionedServer,
  serverAggregate,
  staffTickets,
  stockAggregate,
  stockId,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler, type Installation } from "@hostledger/event-store";
import { done, type Compute, type Outcome } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";

import { computeName } from "./compute-server.ts";

/** What ends servers. */
export interface TerminationOptions {
  readonly commands: CommandHandler;
  readonly compute: Pick<Compute, "destroy">;
  readonly installation: Installation;
  readonly clock: Pick<Clock, "now">;
}

/** After so many attempts, which take some minutes, staff is told of a machine that is not destroyed. */
const attemptsBeforeTicket = 10;

/**
 * Destroys a server's machine, gives its unit back and records that nothing of it is left, in this order: the books say so
 * only after the provider has, and a unit comes back before anybody forgets it. Each of the three may be done again.
 * @param attempt which one it is, from 1.
 */
export async function terminate(
  options: TerminationOptions,
  server: ProvisionedServer,
  attempt: number,
): Promise<Outcome<void>> {
  const { commands, compute, clock } = options;
  const { serverId, planId, regionId, orderId } = server;
  const machine = await computeName(options.installation, server);
  const answer = await compute.destroy(machine);
  if (answer.outcome !== "done") {
    // A cause has one ticket, however often it is asked for.
    if (attempt >= attemptsBeforeTicket)
      await requestStaffTicket(
        options,
        staffTickets.serverNotDestroyed({ ...server, machine }),
        "server-service",
      );
    return answer;
  }
  const cause = { correlationId: `termination-${String(serverId)}`, actor: "process:server-service" };
  const key = { planId, regionId };
  // The order of a gift has taken none, and gives none back.
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
