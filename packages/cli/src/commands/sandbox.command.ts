import { joinDataDirectory } from "@hostledger/runtime";
import { InvalidArgumentError, type Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonText } from "../output/json.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { serve } from "../start/serve.ts";

interface EppFlags {
  readonly host: string;
  readonly port: number;
  readonly data?: string;
  readonly greetingMs: number;
  readonly json?: boolean;
}

/** Default port. EPP's own port 700 is reserved to root. */
const usualPort = 7_700;

/** Adds `hostledger sandbox epp`, which serves the sandbox's registry over EPP. */
export function addSandboxEppCommand(program: Command, { io, loadSystem }: CommandContext): void {
  program
    .command("sandbox")
    .description("the simulated providers, for developers of clients")
    .command("epp")
    .description("serve the sandbox's registry over EPP and TLS, until SIGINT or SIGTERM")
    .option("--host <address>", "address to listen on", parseText, "127.0.0.1")
    .option("--port <port>", "port, 0 takes a free one", upTo(65_535), usualPort)
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .option("--greeting-ms <milliseconds>", "how long a greeting takes", upTo(600_000), 0)
    .option("--json", "print one JSON document")
    .action(async ({ host, port, data, greetingMs, json }: EppFlags) => {
      const configuration = configurationOf(io.environment, data === undefined ? {} : { data });
      await serve(io, configuration, {
        claim: joinDataDirectory,
        bringUp: async ({ configuration: claimed, logger }) => {
          const { startSandboxRegistry } = await loadSystem();
          const registry = await startSandboxRegistry({
            configuration: claimed,
            logger,
            host,
            port,
            greetingMs,
          });
          const { url, ca, user, passwordFile } = registry;
          const document = { url, ca, user, password_file: passwordFile };
          const text = `ready ${url}\nca ${ca}\nuser ${user}\npassword-file ${passwordFile}\n`;
          return {
            announce: () => Promise.resolve(json === true ? `${jsonText(document)}\n` : text),
            close: () => registry.close(),
          };
        },
      });
    });
}

/** Parses a whole number from 0 to `most`. */
function upTo(most: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,6}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`It must be a whole number up to ${String(most)}.`);
    return Number(text);
  };
}
