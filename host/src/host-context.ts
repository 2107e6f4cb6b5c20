import type { EventStore } from "@hostledger/store";
import type { DocumentArchive } from "@hostledger/store/documents";
import type { Compute, Dns, Registrar } from "@hostledger/providers";
import type { Clock, Logger, Metrics, Shutdown, Tracing } from "@hostledger/runtime";

import type { CertificateOptions, Certificates } from "./certificates.ts";
import type { Configuration } from "./configuration/index.ts";

/** Decorators of parts, for tests that crash a process at a chosen point or count its work. */
export interface PartDecorators {
  readonly clock?: (clock: Clock) => Clock;
  readonly store?: (store: EventStore) => EventStore;
  readonly registrar?: (registrar: Registrar) => Registrar;
  readonly dns?: (dns: Dns) => Dns;
  readonly compute?: (compute: Compute) => Compute;
  readonly archive?: (archive: DocumentArchive) => DocumentArchive;
}

export type StartOptions = Omit<HostContext, "certificates" | "shutdown" | "metrics" | "tracing">;

/** Objects that everything in a process shares during its start. */
export interface HostContext extends Pick<CertificateOptions, "onHangup"> {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  readonly certificates: Certificates;
  /** Metrics of the process; each part registers its own. */
  readonly metrics: Metrics;
  /** Tracing of requests, if a collector is configured. */
  readonly tracing: Tracing | undefined;
  /** Called once when the process must stop: the system of record failed. */
  readonly onFatal: (error: Error) => void;
  /** Aborts when the process shall stop before it is up; the start then fails with the signal's reason. */
  readonly stopping?: AbortSignal;
  readonly decorate?: PartDecorators;
  /**
   * Present where all services are in this process, with files of their own: the event store is then theirs alone. `taken-over`: staff say that
   * the data directory which used the store is lost for good.
   */
  readonly storeClaim?: "own" | "taken-over";
}
