import {
  readConfiguration,
  type Configuration,
  type ConfigurationOverrides,
} from "@hostledger/host/configuration";
import { ConfigurationError } from "@hostledger/runtime";
import { wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";

/**
 * The configuration from the environment and the flags, of which the flags win.
 * @param options names of the command's options for settings that `start` has another option for, or none.
 * @throws CommandFailure (2) with a sentence for each mistake, a line each.
 */
export function configurationOf(
  environment: Environment,
  flags: ConfigurationOverrides = {},
  options: ConfigurationOverrides = {},
): Configuration {
  try {
    return readConfiguration(environment, flags, options);
  } catch (error) {
    if (error instanceof ConfigurationError) throw wrongUsage(error.message);
    throw error;
  }
}
