import {
  domainAggregate,
  rejection,
  wantedChange,
  type ChangeFailure,
  type DomainChange,
  type Rejection,
} from "@hostledger/core";
import type { CommandHandler, Position } from "@hostledger/store";
import type { RunContext, WorkEngine } from "@hostledger/work";
import type { Clock } from "@hostledger/runtime";

import { loadDomain } from "./domain-commands.ts";

/** The change of a domain that staff end, and why. */
export interface AbandonedChange {
  readonly name: string;
  readonly changeId: string;
  readonly reason: string;
}

export type Abandoned = { readonly rejection: Rejection } | { readonly position: Position | undefined };

/**
 * Ends a change whose outcome is unknown. A running attempt then records nothing, because the change has ended. If
 * the provider carried it out all the same, the comparison of the books finds the difference.
 */
export async function abandonChange(
  {
    commands,
    clock,
    engine,
  }: {
    readonly commands: CommandHandler;
    readonly clock: Clock;
    readonly engine: () => Pick<WorkEngine, "attend">;
  },
  { name, changeId, reason: why }: AbandonedChange,
  context: RunContext,
): Promise<Abandoned> {
  const wanted = wantedChange((await loadDomain(commands, name)).domain, changeId);
  if (wanted === undefined) return { rejection: rejection("run-not-found") };
  const [code, reason] = [unansweredCode(wanted.change), `Abandoned by staff: ${why}`];
  const data = { changeId, code, reason, by: "staff", at: clock.now() } as const;
  const command = { type: "FailDomainChange", data } as const;
  const commandId = `${changeId}/abandoned`;
  const ended = await commands.execute(domainAggregate, name, command, { ...context, commandId });
  // A look at the key finds nothing to do, so the engine deletes the failed attempts. Without the look, a
  // later attempt overwrites them.
  engine()
    .attend({ kind: "domain-change", key: name }, { limitMs: 0 })
    .catch(() => undefined);
  return ended;
}

/** Returns the failure code of the provider that did not answer. */
export function unansweredCode({ kind }: DomainChange): ChangeFailure {
  return kind === "settings" || kind === "nameservers" ? "registrar-unavailable" : "dns-unavailable";
}
