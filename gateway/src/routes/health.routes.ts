import type { Express, Request } from "express";

import { send } from "../http/answer.ts";
import type { GatewayResponse } from "../http/gateway-context.ts";
import { otherMethods } from "../http/mount.ts";
import { failureBody } from "../http/refusal.ts";

/** Whether this process can do its work. Which of its parts cannot is told to staff, at their listener. */
export interface Readiness {
  readonly ready: boolean;
  /** Where it is in its life, when it does not serve. */
  readonly phase?: "starting" | "stopping";
}

/**
 * What supervisors and load balancers ask, outside the API and without a key. `/healthz`: the process lives, do not
 * restart it. `/readyz`: send it requests.
 */
export function mountHealth(app: Express, readiness: () => Promise<Readiness>): void {
  app
    .route("/healthz")
    .get((_request: Request, response: GatewayResponse) => {
      send(response, { status: 200, body: { status: "ok" } });
    })
    .all(otherMethods("/healthz", ["GET"]));
  app
    .route("/readyz")
    .get(async (_request: Request, response: GatewayResponse) => {
      const { ready, phase } = await readiness();
      if (ready) {
        send(response, { status: 200, body: { status: "ready" } });
        return;
      }
      const why = phase === undefined ? "requests would be refused" : `it is ${phase}`;
      const body = failureBody({ code: "overloaded", message: `Not ready: ${why}.` });
      send(response, { status: 503, body, headers: { "Retry-After": "1" } });
    })
    .all(otherMethods("/readyz", ["GET"]));
}
