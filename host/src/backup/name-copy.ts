import { installationAggregate, installationPart, installationPartBytes } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { randomIds, systemClock } from "@hostledger/runtime";

/** Draws a random part for a test copy: its orders and machines are then not those of the original. */
export async function nameCopy(store: EventStore): Promise<void> {
  const commands = createCommandHandler({ store, recordedBy: "restore" });
  const part = installationPart(Buffer.from(randomIds.secret(installationPartBytes), "base64url"));
  const commandId = randomIds.uuid();
  const copy = { type: "CopyInstallation", data: { part, at: systemClock().now() } } as const;
  const context = { commandId, correlationId: commandId, actor: "restore" };
  const executed = await commands.execute(installationAggregate, "all", copy, context);
  if (!executed.accepted) throw new Error("the copy's random part could not be stored");
}
