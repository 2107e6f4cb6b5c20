import { join } from "node:path";

import { partNames, type PartName } from "@hostledger/rpc";
import { ConfigurationError } from "@hostledger/runtime";
import { Option, type Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext, System } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { madeText, reply } from "../output/reply.ts";
import { configurationOf } from "../start/configuration-of.ts";

interface ServiceKeyFlags {
  readonly data?: string;
  readonly directory?: string;
  readonly rotate?: PartName;
  readonly json?: boolean;
}

/** Adds `hostledger service-keys`, which creates the keys that separate parts sign calls with. */
export function addServiceKeysCommand(program: Command, { io, loadSystem }: CommandContext): void {
  program
    .command("service-keys")
    .description("create the keys with which parts sign their calls; keeps keys that exist")
    .option("--data <directory>", "data directory of the keys (HOSTLEDGER_DATA, else ./data)", parseText)
    .option(
      "--directory <directory>",
      "other directory for the keys: one file for each part, and jwks.json",
      parseText,
    )
    .addOption(
      new Option(
        "--rotate <part>",
        "create a new key for this part; the present key stays valid until the next rotation",
      ).choices(partNames),
    )
    .option("--json", "print one JSON document")
    .action(async ({ data, directory, rotate, json }: ServiceKeyFlags) => {
      if (data !== undefined && directory !== undefined)
        throw wrongUsage("The keys are in --directory instead of the data directory: leave --data out.");
      const configuration = configurationOf(io.environment, data === undefined ? {} : { data });
      const { makeServiceKeys } = await loadSystem();
      const place = directory ?? join(configuration.data, "service-keys");
      const { made, publicKeys } = makingIn(makeServiceKeys, place, rotate);
      reply(io, json, {
        document: { directory: place, made, public_keys: publicKeys },
        text: madeText("keys", made, { directory: place, made: made.join(", "), public_keys: publicKeys }),
      });
    });
}

function makingIn(
  make: System["makeServiceKeys"],
  directory: string,
  rotate: ServiceKeyFlags["rotate"],
): ReturnType<System["makeServiceKeys"]> {
  try {
    return make(directory, rotate);
  } catch (error) {
    if (error instanceof ConfigurationError) throw wrongUsage(error.message);
    throw error;
  }
}
