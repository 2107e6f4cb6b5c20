import {
  type CallLimits,
  type Compute,
  type Dns,
  openSandbox,
  type Registrar,
  type Sandbox,
  type SettledCall,
  withLimits,
} from "@hostledger/providers";
import type { Installation } from "@hostledger/store";
import { type Clock, ConfigurationError, defined, type Metrics, type Tracing } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { sandboxFile } from "./data-files.ts";
import type { HostContext } from "./host-context.ts";
import { mailMistakes } from "./open-mail.ts";
import { openPowerdns, powerdnsMistakes } from "./open-powerdns.ts";
import { openProxmox, proxmoxMistakes } from "./open-proxmox.ts";
import { openRegistrars, registrarMistakes } from "./open-registrars.ts";
import type { ProviderBreakers } from "./provider-breakers.ts";

/** The providers: registrar, DNS server, compute, VAT ids and payments. */
export interface Providers {
  /** The simulated providers, where they are simulated. */
  readonly sandbox: Sandbox;
  /** The first gets the orders for which the price list chooses no other one. */
  readonly registrars: readonly [Registrar, ...Registrar[]];
  readonly dns: Dns;
  readonly compute: Compute;
}

/** Calls that one provider gets at a time, and that may wait for their turn. */
const providerConcurrency = 256;
const providerQueue = 4_096;

/** Parts of the calling process that providers need. */
interface ProviderContext {
  readonly clock: Clock;
  readonly breakers: ProviderBreakers;
  readonly installation: Installation;
}

/** Opens the providers that the configuration names; see `refuseUnsupported`. */
export function openProviders(
  { configuration, metrics, shutdown, tracing, decorate = {} }: HostContext,
  { clock, breakers, installation }: ProviderContext,
): Providers {
  const sandbox = openSandbox({
    path: sandboxFile(configuration),
    clock,
    latencyMs: configuration.sandboxLatencyMs,
    limboMs: configuration.sandboxLimboMs,
    lateMs: configuration.sandboxLateMs,
    isDurable: configuration.sandboxDurable,
  });
  shutdown.add("sandbox", () => {
    sandbox.close();
  });
  const watched = watchProviders(metrics, tracing);
  const limits = (
    provider: Parameters<typeof watched>[0],
    {
      timeLimitMs = configuration.providerTimeoutMs,
      shownAs = provider,
    }: { timeLimitMs?: number; shownAs?: string } = {},
  ): CallLimits => ({
    timeLimitMs,
    concurrency: providerConcurrency,
    queue: providerQueue,
    breaker: breakers.open(shownAs, timeLimitMs),
    onSettled: watched(provider),
  });
  const cluster = openProxmox(configuration, clock);
  if (cluster !== undefined)
    shutdown.add("compute", () => {
      cluster.close();
    });
  // A cluster copies a whole disk for an order; each of its requests has a limit of its own.
  const computeLimits = limits(
    "compute",
    cluster === undefined ? {} : { timeLimitMs: configuration.proxmoxTaskLimitMs },
  );
  const { registrar = same, dns = same, compute = same } = decorate;
  return {
    sandbox,
    registrars: mapped(
      openRegistrars(configuration, sandbox, { timing: clock, installation }),
      (opened, index) => {
        // Each provider is checked alone, so that a silent one does not hide the others.
        const shownAs = index === 0 ? "registrar" : `registrar ${opened.registrar.name}`;
        shutdown.add(shownAs, () => opened.close());
        return withLimits(
          registrar(opened.registrar),
          limits("registrar", { shownAs, ...defined({ timeLimitMs: opened.callLimitMs }) }),
          clock,
        );
      },
    ),
    dns: withLimits(dns(openPowerdns(configuration, installation) ?? sandbox.dns), limits("dns"), clock),
    compute: withLimits(compute(cluster ?? sandbox.compute), computeLimits, clock),
  };
}

/** Maps a non-empty list. */
function mapped<One, Other>(
  [first, ...others]: readonly [One, ...One[]],
  made: (one: One, index: number) => Other,
): readonly [Other, ...Other[]] {
  return [made(first, 0), ...others.map((one, before) => made(one, before + 1))];
}

/**
 * Before anything is opened or waited for.
 *
 * @throws ConfigurationError for an adapter that is not here yet, and for one that lacks settings.
 */
export function refuseUnsupported(configuration: Configuration): void {
  const mistakes = [
    ...registrarMistakes(configuration),
    ...powerdnsMistakes(configuration),
    ...proxmoxMistakes(configuration),
    ...mailMistakes(configuration),
  ];
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
}

function same<Part>(part: Part): Part {
  return part;
}

/** Registers metrics of the providers and traces their calls. @returns observer of every call */
function watchProviders(
  metrics: Metrics,
  tracing: Tracing | undefined,
): (provider: "registrar" | "dns" | "compute") => (call: SettledCall) => void {
  const durations = metrics.histogram("hostledger_provider_call_seconds", "Calls to the parties outside.", [
    "provider",
    "call",
    "outcome",
  ]);
  return (provider) =>
    ({ call, outcome, reason, seconds }) => {
      const result = reason ?? outcome;
      durations.observe({ provider, call, outcome: result }, seconds);
      tracing?.record(`${provider} ${call}`, {
        kind: "client",
        attributes: { "hostledger.provider": provider, "hostledger.outcome": result },
        seconds,
        isFailed: outcome === "unknown",
      });
    };
}
