import {
  installationAggregate,
  installationPart,
  installationPartBytes,
  orderIdOf,
  sequenceAggregate,
  type NamedInstallation,
} from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";

import type { CommandHandler } from "./command-handler.port.ts";

/** The random text that distinguishes this installation from others at the same providers. */
export interface Installation {
  /** Reads the random text; undefined if none was chosen yet, so that no id contains one. */
  current(): Promise<NamedInstallation | undefined>;
  /**
   * Reads the random text; the first call for a store chooses it. Orders get their ids only after this call, so every id
   * of the present form contains the text.
   * @throws Error if the store cannot be read or written.
   */
  named(): Promise<NamedInstallation>;
}

export interface InstallationOptions {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "secret" | "uuid">;
}

/** Sequences of the ids of orders. */
const orderSequences = ["domain", "server"];

/** Reads the installation's random text once per process. If several processes choose one at once, the first append wins. */
export function createInstallation(options: InstallationOptions): Installation {
  let known: NamedInstallation | undefined;
  let drawing: Promise<NamedInstallation> | undefined;
  const current = async (): Promise<NamedInstallation | undefined> => {
    known ??= (await options.commands.load(installationAggregate, "all")).state;
    return known;
  };
  return {
    current,
    async named() {
      const drawn = await current();
      if (drawn !== undefined) return drawn;
      drawing ??= draw(options).finally(() => {
        drawing = undefined;
      });
      known = await drawing;
      return known;
    },
  };
}

async function draw({ commands, clock, ids }: InstallationOptions): Promise<NamedInstallation> {
  const part = installationPart(Buffer.from(ids.secret(installationPartBytes), "base64url"));
  const hadOrders = await hasOrders(commands);
  const commandId = ids.uuid();
  const executed = await commands.execute(
    installationAggregate,
    "all",
    { type: "NameInstallation", data: { part, hadOrders, at: clock.now() } },
    { commandId, correlationId: commandId, actor: "system" },
  );
  if (!executed.accepted || executed.state === undefined)
    throw new Error("the installation's random part could not be stored");
  return executed.state;
}

async function hasOrders(commands: CommandHandler): Promise<boolean> {
  for (const sequence of orderSequences) {
    const { state } = await commands.load(sequenceAggregate, sequence);
    if (state.last > 0) return true;
  }
  return false;
}

/** Finds the run of an operation's order by its id. Ids of an earlier version lack the installation's text. */
export async function recallOrder<Run>(
  installation: Installation,
  { category, operationId }: { readonly category: string; readonly operationId: string },
  recall: (runId: string) => Promise<Run | undefined>,
): Promise<Run | undefined> {
  const named = await installation.current();
  const found = named && (await recall(orderIdOf(category, named.part, operationId)));
  if (found !== undefined || named?.knowsPlainIds === false) return found;
  return recall(`${category}-${operationId}`);
}
