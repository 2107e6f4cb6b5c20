import {
  createConfigurationReader,
  type Environment,
  runtimeSettings,
  telemetrySettings,
} from "@hostledger/runtime";
import { z } from "zod";

import { debtSettings } from "./debt.settings.ts";
import { domainSettings } from "./domain.settings.ts";
import { eppSettings } from "./epp.settings.ts";
import { mailSettings } from "./mail.settings.ts";
import {
  powerdnsSettings,
  providerDefaults,
  providerLimitSettings,
  providerSettings,
  proxmoxSettings,
  stripeSettings,
} from "./provider.settings.ts";
import {
  credentialSettings,
  deploymentSettings,
  limitSettings,
  listenerSettings,
  storeSettings,
} from "./process.settings.ts";
import { serverSettings } from "./server.settings.ts";
import { sellerSettings } from "./seller.settings.ts";
import { signInSettings } from "./sign-in.settings.ts";

const { data, clockOffsetMs, logLevel, logFormat } = runtimeSettings;

/** All settings, in the order in which they are shown. */
const configurationSchema = z.object({
  ...listenerSettings,
  data,
  ...storeSettings,
  ...deploymentSettings,
  ...providerSettings,
  ...stripeSettings,
  ...eppSettings,
  ...powerdnsSettings,
  ...proxmoxSettings,
  clockOffsetMs,
  ...providerLimitSettings,
  ...serverSettings,
  logLevel,
  logFormat,
  ...credentialSettings,
  ...signInSettings,
  ...domainSettings,
  ...sellerSettings,
  ...limitSettings,
  ...debtSettings,
  ...mailSettings,
  ...telemetrySettings,
});

export type { ListenerName } from "./process.settings.ts";

/** The validated settings of a process. */
export type Configuration = Readonly<z.output<typeof configurationSchema>>;

/** Values from the command line, as typed; they win over the environment. */
export type ConfigurationOverrides = { readonly [Key in keyof Configuration]?: string | undefined };

const reader = createConfigurationReader(configurationSchema, providerDefaults);

/**
 * Reads and checks every setting.
 * @throws ConfigurationError naming all mistakes at once, unknown `HOSTLEDGER_*` variables among them.
 */
export const readConfiguration: (
  environment: Environment,
  overrides?: ConfigurationOverrides,
  options?: ConfigurationOverrides,
) => Configuration = reader.read;

/** Returns the settings in force for `hostledger config`, with secrets and passwords inside addresses hidden. */
export const describeConfiguration = reader.describe;
