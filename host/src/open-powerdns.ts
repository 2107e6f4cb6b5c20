import type { Installation } from "@hostledger/store";
import { PowerdnsDns } from "@hostledger/providers";
import { defined } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";

/** The adapter of PowerDNS, where it is configured and lacks nothing. */
export function openPowerdns(
  configuration: Configuration,
  installation?: Installation,
): PowerdnsDns | undefined {
  const { dns, powerdnsUrl: url, powerdnsApiKey: apiKey } = configuration;
  if (dns !== "powerdns" || url === undefined || apiKey === undefined) return undefined;
  return new PowerdnsDns({
    url: new URL(url),
    apiKey,
    server: configuration.powerdnsServer,
    zoneKind: configuration.powerdnsZoneKind,
    account: configuration.powerdnsAccount,
    nameservers: configuration.nameservers,
    isSigned: configuration.powerdnsDnssec === "yes",
    timeLimitMs: configuration.providerTimeoutMs,
    ...(installation !== undefined && { installation: () => installation.named() }),
    ...defined({ hostmaster: configuration.powerdnsHostmaster }),
  });
}

/** Returns a sentence for each setting that PowerDNS lacks. */
export function powerdnsMistakes({ dns, powerdnsUrl, powerdnsApiKey }: Configuration): readonly string[] {
  if (dns !== "powerdns") return [];
  return [
    ...(powerdnsUrl === undefined
      ? ["HOSTLEDGER_POWERDNS_URL must say where PowerDNS is, since HOSTLEDGER_DNS is powerdns."]
      : []),
    ...(powerdnsApiKey === undefined
      ? ["HOSTLEDGER_POWERDNS_API_KEY (or _API_KEY_FILE) must be set, since HOSTLEDGER_DNS is powerdns."]
      : []),
  ];
}
