import { checkSimulated, wrong, type ProviderCheck, type ProviderFinding } from "@hostledger/providers";
import { defined, systemClock, type Clock } from "@hostledger/runtime";
import { within } from "@hostledger/runtime/async";

import type { Configuration } from "./configuration/index.ts";
import { checkMail } from "./open-mail.ts";
import { openStripe, stripeMistakes } from "./open-payments.ts";
import { openPowerdns, powerdnsMistakes } from "./open-powerdns.ts";
import { openProxmox, proxmoxMistakes } from "./open-proxmox.ts";
import { openVies } from "./open-vat-ids.ts";
import { registrarsToCheck } from "./open-registrars.ts";

export interface CheckedProvider {
  readonly provider: "registrar" | "dns" | "compute" | "vat-ids" | "payments" | "mail";
  /** Value of the setting that selects the provider, for example `proxmox`. */
  readonly adapter: string;
  /** Name of a registrar in HOSTLEDGER_REGISTRARS_FILE. */
  readonly name?: string;
  /** At least one. */
  readonly findings: readonly ProviderFinding[];
}

type Check<Adapter extends string> = Readonly<
  Record<Adapter, (configuration: Configuration, clock: Clock) => ReturnType<ProviderCheck>>
>;

/** Maximum duration of one provider's check. */
const checkLimitMs = 60_000;

const nameServers: Check<Configuration["dns"]> = {
  sandbox: checkSimulated,
  powerdns: (configuration) =>
    openPowerdns(configuration)?.check() ??
    Promise.resolve(powerdnsMistakes(configuration).map((mistake) => wrong(mistake))),
};
const clusters: Check<Configuration["compute"]> = {
  sandbox: checkSimulated,
  proxmox: (configuration, clock) =>
    openProxmox(configuration, clock)?.check() ??
    Promise.resolve(proxmoxMistakes(configuration).map((mistake) => wrong(mistake))),
};

/**
 * Checks all configured providers at once for what their adapters need, without changing anything there or opening
 * anything here.
 */
export function checkProviders(
  configuration: Configuration,
  clock: Clock = systemClock(),
): Promise<readonly CheckedProvider[]> {
  const { dns, compute, vatIds, payments, smtpUrl } = configuration;
  const ask = async (
    provider: CheckedProvider["provider"],
    adapter: string,
    check: ProviderCheck,
    name?: string,
  ): Promise<CheckedProvider> => ({
    provider,
    adapter,
    ...defined({ name }),
    findings: await findingsOf(check, clock),
  });
  return Promise.all([
    ...registrarsToCheck(configuration).map(({ name, adapter, ask: check }) =>
      ask("registrar", adapter, check, name),
    ),
    ask("dns", dns, () => nameServers[dns](configuration, clock)),
    ask("compute", compute, () => clusters[compute](configuration, clock)),
    ask("vat-ids", vatIds, () => openVies(configuration)?.findings() ?? checkSimulated()),
    ...(payments === "stripe" ? [ask("payments", payments, () => checkStripe(configuration, clock))] : []),
    // Without one nobody is written to, which is no mistake.
    ...(smtpUrl === undefined ? [] : [ask("mail", "smtp", () => checkMail(configuration))]),
  ]);
}

function checkStripe(configuration: Configuration, clock: Clock): ReturnType<ProviderCheck> {
  return (
    openStripe(configuration, clock)?.findings() ??
    Promise.resolve(stripeMistakes(configuration).map((mistake) => wrong(mistake)))
  );
}

/** Returns the findings of a check; a failed or endless check is a finding too. */
async function findingsOf(check: ProviderCheck, clock: Clock): Promise<readonly ProviderFinding[]> {
  const late = [wrong(`It did not answer within ${String(checkLimitMs / 1_000)} s.`)];
  try {
    return await within(checkLimitMs, check(), () => late, clock);
  } catch (error) {
    return [wrong(`The check failed: ${error instanceof Error ? error.message : String(error)}`)];
  }
}
