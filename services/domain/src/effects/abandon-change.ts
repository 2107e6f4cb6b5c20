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

import type { DomainQueries } from "../reads/domain.queries.ts";
import { loadDomain } from "./domain-commands.ts";

/** Result of abandoning a change. */
export type Abandoned = { readonly rejection: Rejection } | { readonly position: Position | undefined };

/**
 * Ends a change whose outcome is unknown. A running attempt then records nothing, because the change has ended. If
 * the provider carried it out all the same, the comparison of the books finds the difference.
 */
export async function abandonChange(
  {
    commands,
    clock,
    queries,
    engine,
  }: {
    readonly commands: CommandHandler;
    readonly clock: Clock;
    readonly queries: DomainQueries;
    readonly engine: () => Pick<WorkEngine, "attend">;
  },
  { changeId, reason: why }: { readonly changeId: string; readonly reason: string },
  context: RunContext,
): Promise<Abandoned> {
  const name = (await queries.pendingChange(changeId))?.domain_name;
  if (name === undefined) return { rejection: rejection("run-not-found") };
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
