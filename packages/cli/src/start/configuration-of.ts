import {
  readConfiguration,
  type Configuration,
  type ConfigurationOverrides,
} from "@hostledger/host/configuration";
import { ConfigurationError } from "@hostledger/runtime";
import { wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";

/**
 * Reads the configuration from environment and flags; flags override.
 * @param options option names for error messages, if they differ from those of `start`.
 * @throws CommandFailure (2) with one sentence per mistake and line.
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
