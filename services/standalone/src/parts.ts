import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/event-store";
import {
  openSandbox,
  withLimits,
  type Compute,
  type Dns,
  type Registrar,
  type Sandbox,
} from "@hostledger/providers";
import { createCallerTokens, type CallerTokens } from "@hostledger/rpc";
import {
  ConfigurationError,
  randomIds,
  secretFile,
  systemClock,
  writeFileAtomically,
  type Clock,
  type Configuration,
  type Ids,
  type Shutdown,
} from "@hostledger/runtime";

/** Wraps parts on their way in: for tests that crash a process at a chosen point, or count what it does. */
export interface PartDecorators {
  readonly store?: (store: EventStore) => EventStore;
  readonly registrar?: (registrar: Registrar) => Registrar;
  readonly dns?: (dns: Dns) => Dns;
  readonly compute?: (compute: Compute) => Compute;
}

/** What all services of the process share. */
export interface Parts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: EventStore;
  readonly sandbox: Sandbox;
  readonly registrar: Registrar;
  readonly dns: Dns;
  readonly compute: Compute;
  /** Names this process among the owners of what is under way. */
  readonly instanceId: string;
  readonly callers: CallerTokens;
  /** Credential of the staff listener. */
  readonly staffCredential: string;
  /** The file of a service's read models. */
  readModels(service: string): string;
}

/** Calls that one provider gets at a time, and that may wait for their turn. */
const providerConcurrency = 256;
const providerQueue = 4_096;

/** Opens what the configuration names. @throws ConfigurationError for an engine or adapter that is not here yet. */
export async function openParts(
  configuration: Configuration,
  shutdown: Shutdown,
  onFatal: (error: Error) => void,
  decorate: PartDecorators = {},
): Promise<Parts> {
  refuseUnsupported(configuration);
  const file = (name: string): string => join(configuration.data, name);
  const clock = systemClock(configuration.clockOffsetMs);
  const secret = configuration.callerSecret ?? secretFile(file("caller.key"), () => randomIds.secret(48));
  const staffCredential = staffCredentialOf(configuration, file("admin.token"));
  mkdirSync(file("read-models"), { recursive: true, mode: 0o700 });

  const store = await openEmbeddedEventStore({
    path: file("events.sqlite"),
    now: () => clock.now(),
    queueLimit: configuration.queueLimit,
    onFailure: onFatal,
  });
  shutdown.add("event store", () => store.close());
  const sandbox = openSandbox({
    path: file("sandbox.sqlite"),
    clock,
    latencyMs: configuration.sandboxLatencyMs,
    limboMs: configuration.sandboxLimboMs,
  });
  shutdown.add("sandbox", () => {
    sandbox.close();
  });
  const limits = {
    timeLimitMs: configuration.providerTimeoutMs,
    concurrency: providerConcurrency,
    queue: providerQueue,
  };
  const { registrar = same, dns = same, compute = same } = decorate;
  return {
    clock,
    ids: randomIds,
    store: decorate.store?.(store) ?? store,
    sandbox,
    registrar: withLimits(registrar(sandbox.registrar), limits),
    dns: withLimits(dns(sandbox.dns), limits),
    compute: withLimits(compute(sandbox.compute), limits),
    instanceId: randomIds.uuid(),
    callers: createCallerTokens(Buffer.from(secret), clock),
    staffCredential,
    readModels: (service) => join(file("read-models"), `${service}.sqlite`),
  };
}

/** The credential in force, also in the file where the local command line looks for it. */
function staffCredentialOf({ adminToken }: Configuration, path: string): string {
  if (adminToken !== undefined) writeFileAtomically(path, `${adminToken}\n`, 0o600);
  return secretFile(path, () => randomIds.secret(32));
}

function refuseUnsupported({ eventStore, database, registrar, dns, compute }: Configuration): void {
  const mistakes = [
    ...(eventStore === "embedded" ? [] : ["HOSTLEDGER_EVENT_STORE must be embedded in this version."]),
    ...(database === "sqlite" ? [] : ["HOSTLEDGER_DATABASE must be sqlite in this version."]),
    ...(registrar === "sandbox" ? [] : ["HOSTLEDGER_REGISTRAR must be sandbox in this version."]),
    ...(dns === "sandbox" ? [] : ["HOSTLEDGER_DNS must be sandbox in this version."]),
    ...(compute === "sandbox" ? [] : ["HOSTLEDGER_COMPUTE must be sandbox in this version."]),
  ];
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
}

function same<Part>(part: Part): Part {
  return part;
}
