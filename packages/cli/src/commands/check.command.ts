import { defined } from "@hostledger/runtime";
import type { Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { reply } from "../output/reply.ts";
import { configurationOf } from "../start/configuration-of.ts";

interface CheckFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** Adds `hostledger check …`, which checks the environment before an instance is started. */
export function addCheckCommands(program: Command, context: CommandContext): void {
  const check = program.command("check").description("check that an instance can work with its environment");
  check
    .command("providers")
    .description("check each configured provider's features and permissions; changes nothing there")
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .option("--json", "print one JSON document")
    .action((flags: CheckFlags) => checkAll(context, flags));
}

/** @throws CommandFailure (1) if a check fails, (2) for a mistake in the environment. */
async function checkAll({ io, loadSystem }: CommandContext, { data, json }: CheckFlags): Promise<void> {
  const configuration = configurationOf(io.environment, data === undefined ? {} : { data });
  const { checkProviders } = await loadSystem();
  const providers = (await checkProviders(configuration)).map(({ provider, adapter, name, findings }) => ({
    provider,
    adapter,
    ...defined({ name }),
    ok: findings.every(({ isRight }) => isRight),
    findings: findings.map(({ isRight, sentence }) => ({ ok: isRight, sentence })),
  }));
  const text = providers.flatMap(({ provider, adapter, name = adapter, findings }) =>
    findings.map(({ ok, sentence }) => `${ok ? "ok   " : "WRONG"} ${provider} (${name}): ${sentence}\n`),
  );
  const wrong = providers
    .filter(({ ok }) => !ok)
    .map(({ provider, name }) => (name === undefined ? provider : `${provider} ${name}`));
  reply(io, json, {
    document: { ok: wrong.length === 0, providers },
    text: text.join(""),
    ...(wrong.length === 0 ? {} : { refusal: `Not ready for orders: ${wrong.join(", ")}.` }),
  });
}
