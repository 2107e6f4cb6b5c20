import type { EventStore } from "@hostledger/event-store";
import type { Compute, Dns, Registrar } from "@hostledger/providers";
import type { Clock, Configuration, Logger, Shutdown } from "@hostledger/runtime";

/** Wraps parts on their way in: for tests that crash a process at a chosen point, or count what it does. */
export interface PartDecorators {
  readonly clock?: (clock: Clock) => Clock;
  readonly store?: (store: EventStore) => EventStore;
  readonly registrar?: (registrar: Registrar) => Registrar;
  readonly dns?: (dns: Dns) => Dns;
  readonly compute?: (compute: Compute) => Compute;
}

/** What the parts of a process share while they are opened. */
export interface Opening {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  /** Called once when the process must stop: the system of record failed. */
  readonly onFatal: (error: Error) => void;
  readonly decorate?: PartDecorators;
}
