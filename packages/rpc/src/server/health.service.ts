import { Code, ConnectError } from "@connectrpc/connect";
import { health as contract } from "@hostledger/protocol";

import { backgroundTiming, type CallOff } from "@hostledger/runtime/async";

import { implement, type ServiceImplementation } from "../transport/implement.ts";
import type { Health, HealthStatus } from "./health.ts";

const ServingStatus = contract.HealthCheckResponse_ServingStatus;

/** Interval at which a watch checks, in milliseconds, because changes send no notification. */
const refreshMs = 1_000;

/**
 * `grpc.health.v1.Health` over a health board.
 * @param stopping ends every Watch, so that none of them holds up the server's close.
 * @param refresh brings the board up to date before it is read.
 */
export function healthService(
  health: Health,
  stopping: AbortSignal,
  refresh: () => Promise<void>,
): ServiceImplementation {
  return implement(contract.Health, {
    async check({ service }) {
      await refresh();
      const status = health.get(service);
      if (status === undefined) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
      return { status: wireStatus(status) };
    },
    async *watch({ service }, context) {
      const signal = AbortSignal.any([stopping, context.signal]);
      const watcher = watchChanges(health, signal);
      let reported: number | undefined;
      await refresh();
      const stopLooking = lookAgain(refresh);
      try {
        for (;;) {
          const status = wireStatus(health.get(service));
          if (status !== reported) yield { status };
          reported = status;
          if (signal.aborted) return;
          await watcher.changed();
        }
      } finally {
        stopLooking();
        watcher.stop();
      }
    },
  });
}

function lookAgain(refresh: () => Promise<void>): CallOff {
  let callOff: CallOff;
  let isOver = false;
  const wait = (): void => {
    if (isOver) return;
    callOff = backgroundTiming.after(refreshMs, () => void refresh().then(wait));
  };
  wait();
  return () => {
    isOver = true;
    callOff();
  };
}

function wireStatus(status: HealthStatus | undefined): contract.HealthCheckResponse_ServingStatus {
  if (status === undefined) return ServingStatus.SERVICE_UNKNOWN;
  return status === "serving" ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
}

/** `changed` settles after the next change, or at once when there was one since it was last asked. */
function watchChanges(health: Health, signal: AbortSignal): { changed(): Promise<void>; stop(): void } {
  let pending = Promise.withResolvers<undefined>();
  const wake = (): void => {
    pending.resolve(undefined);
  };
  const forget = health.onChange(wake);
  signal.addEventListener("abort", wake, { once: true });
  return {
    async changed() {
      await pending.promise;
      if (!signal.aborted) pending = Promise.withResolvers<undefined>();
    },
    stop() {
      forget();
      signal.removeEventListener("abort", wake);
    },
  };
}
