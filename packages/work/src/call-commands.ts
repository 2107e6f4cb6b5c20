import type { DomainEvent } from "@hostledger/core";
import type { Projector } from "@hostledger/read";
import {
  conditionOf,
  noSuch,
  rejectionError,
  requestContextOf,
  useQuota,
  type WithContextValues,
} from "@hostledger/rpc";
import {
  refusalOf,
  type Aggregate,
  type CommandContext,
  type CommandHandler,
  type Executed,
} from "@hostledger/store";

interface Named {
  readonly type: string;
}

export interface CallCommand<Command extends Named, State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<Command, State, Event>;
  readonly id: number | string;
  readonly command: Command;
  /** Equal for every repeat of the command. Default: the call's operation and the command's type. */
  readonly commandId?: string;
  /** Names the resource if the command is refused with `not-found`, for example `server`. */
  readonly resource?: string;
}

type Accepted<State, Event> = Extract<Executed<State, Event>, { readonly accepted: true }> & {
  /** True if nothing had to change. */
  readonly repeated: boolean;
};

/** Executes a command of staff and waits until the read models show the change. @throws ConnectError for a rejection */
export async function staffCommand<Command extends Named, State, Event extends DomainEvent>(
  on: { readonly commands: CommandHandler; readonly projector: Pick<Projector, "after"> },
  context: WithContextValues,
  sent: CallCommand<Command, State, Event>,
): Promise<Accepted<State, Event>> {
  const executed = await execute(on.commands, context, sent);
  await on.projector.after(executed.position);
  return executed;
}

/**
 * Executes a free write of a customer, if the call's condition holds. A refused command uses no quota.
 * @throws ConnectError for a rejection, or `quota-exceeded`
 */
export async function customerCommand<Command extends Named, State, Event extends DomainEvent>(
  on: { readonly commands: CommandHandler; readonly quotas: Parameters<typeof useQuota>[0] },
  context: WithContextValues,
  sent: CallCommand<Command, State, Event>,
): Promise<Accepted<State, Event>> {
  const refusal = await refusalOf(on.commands, sent.aggregate, String(sent.id), sent.command);
  if (refusal !== undefined) throw rejectionError(refusal);
  await useQuota(on.quotas, "free_writes_a_day", 1, context);
  return execute(on.commands, context, sent, conditionOf(requestContextOf(context)));
}

async function execute<Command extends Named, State, Event extends DomainEvent>(
  commands: CommandHandler,
  context: WithContextValues,
  { aggregate, id, command, commandId, resource }: CallCommand<Command, State, Event>,
  condition: Pick<CommandContext, "expectedRevision"> = {},
): Promise<Accepted<State, Event>> {
  const request = requestContextOf(context);
  const executed = await commands.execute(aggregate, String(id), command, {
    ...request,
    commandId: commandId ?? `${request.operationId}/${command.type}`,
    ...condition,
  });
  if (executed.accepted) return { ...executed, repeated: executed.events.length === 0 };
  if (resource !== undefined && executed.rejection.code === "not-found") throw noSuch(resource);
  throw rejectionError(executed.rejection);
}
