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

/** What came of it. */
export type Abandoned = { readonly rejection: Rejection } | { readonly position: Position | undefined };

/**
 * Ends a change whose outcome nobody tells. An attempt that is under way records nothing any more, since the change has ended; what
 * the provider did all the same, the comparison of the books finds.
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
  // A look finds nothing to do, so that the failed attempts are forgotten. Without the look they are overwritten later.
  engine()
    .attend({ kind: "domain-change", key: name }, { limitMs: 0 })
    .catch(() => undefined);
  return ended;
}

/** Who has not answered. */
export function unansweredCode({ kind }: DomainChange): ChangeFailure {
  return kind === "settings" || kind === "nameservers" ? "registrar-unavailable" : "dns-unavailable";
}
