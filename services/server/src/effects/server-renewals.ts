import { serverAggregate, type Rejection, type ServerCommand, type ServerRenewal } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import type { RunContext } from "@hostledger/work";
import type { Clock } from "@hostledger/runtime";

export interface RenewalBeginnings {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
}

export type ServerRenewalRequest = { readonly serverId: number } & Omit<
  Extract<ServerCommand, { type: "BeginServerRenewal" }>["data"],
  "at"
>;

/** A begun renewal or its rejection; `renewal` is undefined if it began before and has ended. */
export type BegunRenewal =
  | { readonly renewal: ServerRenewal | undefined }
  | { readonly renewal: undefined; readonly rejection: Rejection };

/** Begins a renewal on the server's stream, which fixes the price and permits one renewal at a time. */
export async function beginRenewal(
  { commands, clock }: RenewalBeginnings,
  { serverId, ...requested }: ServerRenewalRequest,
  context: RunContext,
): Promise<BegunRenewal> {
  const begun = await commands.execute(
    serverAggregate,
    String(serverId),
    { type: "BeginServerRenewal", data: { ...requested, at: clock.now() } },
    { ...context, commandId: `${requested.renewalId}/BeginServerRenewal` },
  );
  if (!begun.accepted) return { renewal: undefined, rejection: begun.rejection };
  const renewal = "server" in begun.state ? begun.state.server.renewal : null;
  return { renewal: renewal?.renewalId === requested.renewalId ? renewal : undefined };
}
